// What the tool says about itself, without reading anything.

// RUN: morok-opt --help | filecheck %s --check-prefix=HELP
// RUN: morok-opt --list-passes | filecheck %s --check-prefix=LIST
// RUN: morok-opt --show-dialects | filecheck %s --check-prefix=DIALECTS
// RUN: morok-opt --version | filecheck %s --check-prefix=VERSION
// RUN: morok-compile --help | filecheck %s --check-prefix=COMPILE

// HELP: USAGE: morok-opt
// HELP: --split-input-file[=<separator>]
// HELP: --morok-split-ranges{{ +}}- Splits ranges used with a modulo.
// HELP: --canonicalize{{ +}}- Canonicalize operations

// LIST: --morok-apply-opts{{ +}}- {{.*}} [kernel]
// LIST-NEXT: --opts=<str>{{ +}}- default ''
// LIST-NEXT: --heuristic=<bool>{{ +}}- default true
// LIST: --canonicalize
// LIST: --max-iterations=<int>

// DIALECTS: Available Dialects: {{.*}}arith,{{.*}}morok,{{.*}}vector
// VERSION: morok-opt {{[0-9]+\.[0-9]+\.[0-9]+}}
// COMPILE: USAGE: morok-compile
// COMPILE: --emit=<kind>
