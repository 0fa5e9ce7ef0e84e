"""groups.py: Kahn's algorithm on the items' dependencies."""

from kernel_form_text import kernel_text, main_text, parse

from morok.schedule import create_schedule, parallel_groups


def numbers(program):
    return [[item.id for item in group] for group in parallel_groups(create_schedule(program).items)]


def test_a_chain_has_one_item_a_group(chain):
    assert numbers(chain) == [[0], [1], [2], [3]]


def test_independent_kernels_share_a_group():
    program = parse(main_text("""
        %a = global 0
        %b = global 1
        %c = global 2
        %k0 = k1(%a, %in0)
        %k1 = k1(%b, %in1)
        %a1 = after(%a, %k0)
        %b1 = after(%b, %k1)
        %k2 = k2(%c, %a1, %b1)
        %c1 = after(%c, %k2)
    """, 2, ["%c1"]), kernel_text("k1", 1), kernel_text("k2", 2))
    assert numbers(program) == [[0, 1], [2]]


def test_an_overwrite_waits_for_the_readers():
    program = parse(main_text("""
        %a = global 0
        %b = global 1
        %k0 = k1(%a, %in0)
        %k1 = k1(%b, %in0)
        %a1 = after(%a, %k0)
        %b1 = after(%b, %k1)
        %w = k1(%in0, %in1)
        %r = after(%in0, %w)
    """, 2, ["%a1", "%b1", "%r"]), kernel_text("k1", 1))
    assert numbers(program) == [[0, 1], [2]]
