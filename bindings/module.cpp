// SPDX-License-Identifier: Apache-2.0
#include "binding.h"

NB_MODULE(_core, module) {
    // At exit Python does not free the objects that modules hold; a warning each time would alarm
    // users. The sanitized builds of tests/native look for real leaks.
    nanobind::set_leak_warnings(false);
    module.doc() = "Native core of Joulemark: kernels, plugins and the timed loop.";
    jm::bind_implementation(module);
    jm::bind_states(module);
    jm::bind_python_implementation(module);
    jm::bind_batch(module);
    jm::bind_check(module);
    jm::bind_loop(module);
    jm::bind_sessions(module);
    jm::bind_clocks(module);
    jm::bind_mac(module);
}
