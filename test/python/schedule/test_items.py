"""items.py: every field of a schedule item, and the order of launches."""

import pytest
from kernel_form_text import kernel_text, main_text, parse

from morok.errors import IRError
from morok.schedule import create_schedule

VARIABLE = '"morok.define_var"() {name = "n", min = 1, max = 16} : () -> index'


def names(schedule):
    return [item.name for item in schedule.items]


def test_fields_of_one_launch():
    program = parse(main_text("""
        %o = global 0
        %k = k2(%o, %in1, %in0)
        %r = after(%o, %k)
    """, 2, ["%r"]), kernel_text("k2", 2))
    schedule = create_schedule(program)
    [item] = schedule.items
    main = program.bodies["main"]
    assert item.kernel.name == "kernel" and item.kernel.attribute("callee") == "k2"
    assert item.ast is program.bodies["k2"].sinks[0]
    assert item.buffers == (schedule.buffers[2], main.arguments[1], main.arguments[0])
    assert item.buffer_ids == (2, 1, 0)
    assert item.source_buffers == {1: main.arguments[1], 2: main.arguments[0]}
    assert item.written_slots == {0} and item.written_ids == {2} and item.read_ids == {0, 1}
    assert item.dependencies == () and item.fixedvars == {} and item.variables == () and item.bound_ranges == ()
    assert item.alias_ids == (2,)
    assert schedule.results == (2,) and schedule.argument_count == 2 and schedule.intermediates == ()


def test_a_reader_depends_on_the_writer(chain):
    schedule = create_schedule(chain)
    assert [item.dependencies for item in schedule.items] == [(), (0,), (1,), (2,)]
    assert schedule.intermediates == (1, 2, 3) and schedule.results == (4,)


def test_variables_with_their_values():
    program = parse(main_text("""
        %o = global 0
        %k = k1(%o, %in0)
        %r = after(%o, %k)
    """, 1, ["%r"]), kernel_text("k1", 1, extent=VARIABLE))
    schedule = create_schedule(program, {"n": 5, "other": 1})
    assert schedule.items[0].variables == ("n",) and schedule.items[0].fixedvars == {"n": 5}
    assert schedule.variables == {"n": (1, 16)}


def test_thread_ranges_are_bound_by_the_host():
    program = parse(main_text("""
        %o = global 0
        %k = k1(%o, %in0)
        %r = after(%o, %k)
    """, 1, ["%r"]), kernel_text("k1", 1, kind="thread"))
    [item] = create_schedule(program).items
    assert [r.attribute("kind") for r in item.bound_ranges] == ["thread"]


def test_in_place_result_is_the_argument():
    program = parse(main_text("""
        %k = k1(%in0, %in1)
        %r = after(%in0, %k)
    """, 2, ["%r"]), kernel_text("k1", 1, in_place=True))
    schedule = create_schedule(program)
    assert schedule.results == (0,) and schedule.items[0].alias_ids == (0,) and schedule.items[0].read_ids == {0, 1}


def test_write_after_read_is_implied():
    """%r2 reads in0 as it was: its kernel goes before the one that overwrites it, wherever it stands."""
    program = parse(main_text("""
        %o = global 0
        %w = write(%in0, %in1)
        %r1 = after(%in0, %w)
        %k = read(%o, %in0)
        %r2 = after(%o, %k)
    """, 2, ["%r1", "%r2"]), kernel_text("write", 1), kernel_text("read", 1))
    schedule = create_schedule(program)
    assert names(schedule) == ["read", "write"]
    assert schedule.items[1].dependencies == (0,)


def test_a_launch_on_two_rows_is_one_item():
    """It writes in0 and in1; what reads in1 as it was goes before it."""
    program = parse(main_text("""
        %o = global 0
        %w = write(%in0, %in2, %in1, %in2)
        %r1 = after(%in0, %w)
        %k = read(%o, %in1)
        %r2 = after(%o, %k)
    """, 3, ["%r1", "%r2"]), kernel_text("write", 1), kernel_text("read", 1))
    schedule = create_schedule(program)
    assert names(schedule) == ["read", "write"] and schedule.items[1].dependencies == (0,)
    item = schedule.items[1]
    assert item.rows == ({}, {}) and item.row_buffers() == [(0, 2), (1, 2)]
    assert item.written_slots == {0, 2} and item.written_ids == {0, 1} and item.read_ids == {2}


def test_rows_are_whole():
    program = parse(main_text("""
        %w = write(%in0, %in2, %in1)
        %r1 = after(%in0, %w)
    """, 3, ["%r1"]), kernel_text("write", 1))
    with pytest.raises(IRError, match=r"binds slots \[0, 1, 2\] of @write, which has 2 buffers"):
        create_schedule(program)


@pytest.mark.parametrize("values, message", [("9", "gives 1 values on 2 rows; @write has 1 variables"),
                                             ("9, 17", "gives the variable n of @write the value 17; it must be from 1 to 16")])
def test_values_are_given_for_each_row(values, message):
    extent = '"morok.define_var"() {name = "n", min = 1, max = 16} : () -> index'
    text = main_text("""
        %w = write(%in0, %in2, %in1, %in2)
        %r1 = after(%in0, %w)
    """, 3, ["%r1"]).replace("{callee = @write}", f"{{callee = @write, values = array<i64: {values}>}}")
    with pytest.raises(IRError, match=message):
        create_schedule(parse(text, kernel_text("write", 1, extent=extent)))


def test_two_writers_keep_their_order():
    program = parse(main_text("""
        %o = global 0
        %w1 = first(%o, %in0)
        %w2 = second(%o, %in1)
        %r = after(%o, %w1, %w2)
    """, 2, ["%r"]), kernel_text("first", 1), kernel_text("second", 1))
    schedule = create_schedule(program)
    assert names(schedule) == ["first", "second"] and schedule.items[1].dependencies == (0,)


def test_explicit_order_is_kept():
    """The IR may say that a reader comes after a write, against the rule for what it leaves open."""
    program = parse(main_text("""
        %o = global 0
        %w = write(%in0, %in1)
        %v = after(%in0, %w)
        %k = read(%o, %v)
        %r = after(%o, %k)
    """, 2, ["%r"]), kernel_text("write", 1), kernel_text("read", 1))
    assert names(create_schedule(program)) == ["write", "read"]


def test_a_swap_without_a_copy_is_refused():
    program = parse(main_text("""
        %k1 = one(%in0, %in1)
        %k2 = two(%in1, %in0)
        %r1 = after(%in0, %k1)
        %r2 = after(%in1, %k2)
    """, 2, ["%r1", "%r2"]), kernel_text("one", 1), kernel_text("two", 1))
    with pytest.raises(IRError, match="@one, @two wait for each other.*copy"):
        create_schedule(program)


def test_a_swap_with_a_copy():
    program = parse(main_text("""
        %t = global 0
        %k0 = copy(%t, %in0)
        %t1 = after(%t, %k0)
        %k1 = one(%in0, %in1)
        %k2 = two(%in1, %t1)
        %r1 = after(%in0, %k1)
        %r2 = after(%in1, %k2)
    """, 2, ["%r1", "%r2"]), kernel_text("copy", 1), kernel_text("one", 1), kernel_text("two", 1))
    assert names(create_schedule(program)) == ["copy", "one", "two"]


@pytest.mark.parametrize("text, message", [
    ("%o = global 0\n%k = missing(%o)\n%r = after(%o, %k)", "names @missing, which the module does not have"),
    ("%o = global 0\n%k = k1(%o)\n%r = after(%o, %k)", r"binds slots \[0\] of @k1, which has 2 buffers"),
])
def test_malformed_launches(text, message):
    with pytest.raises(IRError, match=message):
        create_schedule(parse(main_text(text, 1, ["%r"]), kernel_text("k1", 1)))


def test_ten_thousand_launches_take_linear_time(chain):
    """A chain that is long, and many readers of one buffer; quadratic work would take minutes."""
    from morok.dialect import types as T
    from morok.graph.body import Body
    from morok.graph.uop import UOp
    memref = T.memref((16,), T.float32)
    source = chain.bodies["main"].arguments[0]

    def launch(number, source):
        target = UOp.make("define_global", (), (number,), memref)
        done = UOp.make("kernel", (UOp.make("param", (target,), (0,)), UOp.make("param", (source,), (1,))), ("k1",))
        return UOp.make("after", (target, done))

    value = source
    for number in range(5000):
        value = launch(number, value)
    chain.bodies["main"] = Body("main", [source], tuple(launch(5000 + i, source) for i in range(5000)) + (value,))
    assert len(create_schedule(chain).items) == 10000
