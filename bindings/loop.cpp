// SPDX-License-Identifier: Apache-2.0
// One trial of the harness.
#include "loop.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"
#include "clock/clock.h"

namespace jm {
namespace {

void check_loop(jm_loop_status status) {
    switch (status) {
    case JM_LOOP_OK:
        return;
    case JM_LOOP_MEMORY:
        throw std::bad_alloc();
    case JM_LOOP_KEY:
        throw nb::value_error("the implementation refused the key");
    case JM_LOOP_REFUSED:
        throw std::runtime_error("the implementation returned an error");
    case JM_LOOP_LENGTH:
        throw MessageLength("the implementation does not take messages of this length");
    case JM_LOOP_NO_FLUSH:
        throw std::runtime_error("this architecture has no cache flush that a program may use");
    case JM_LOOP_OVERRUN:
        throw std::runtime_error("the implementation wrote outside its output buffer, or into "
                                 "its message");
    case JM_LOOP_PARTIAL:
        throw nb::value_error("a window has whole batches, and all batches of a mix of lengths");
    case JM_LOOP_NONSENSE:
        throw nb::value_error("batches, mixed lengths and several keys are for a MAC; lengths are "
                              "whole batches, keys are one or one for each message, and only "
                              "single messages have a latency");
    }
}

nb::dict as_dict(const jm_sample &sample) {
    nb::dict fields;
    fields["messages"] = sample.messages;
    fields["wall_start_ns"] = sample.wall_start_ns;
    fields["wall_ns"] = sample.wall_ns;
    fields["thread_cpu_ns"] = sample.thread_cpu_ns;
    fields["tsc_ticks"] = counter(sample.tsc_ticks);
    fields["perf_core_cycles"] = counter(sample.perf_core_cycles);
    fields["voluntary_switches"] = sample.voluntary_switches;
    fields["involuntary_switches"] = sample.involuntary_switches;
    fields["chain_adds"] = sample.chain_adds;
    fields["chain_ticks_before"] = counter(sample.chain_ticks_before);
    fields["chain_ticks_after"] = counter(sample.chain_ticks_after);
    fields["width_adds"] = sample.width_adds;
    fields["width_ticks_before"] = counter(sample.width_ticks_before);
    fields["width_ticks_after"] = counter(sample.width_ticks_after);
    return fields;
}

nb::dict as_dict(const jm_visit &visit) {
    nb::dict fields;
    fields["visit_wall_ns"] = visit.wall_ns;
    fields["visit_thread_cpu_ns"] = visit.thread_cpu_ns;
    fields["run_queue_wait_ns"] = counter(visit.run_queue_wait_ns);
    fields["machine_busy_ns"] = counter(visit.machine_busy_ns);
    fields["machine_steal_ns"] = counter(visit.machine_steal_ns);
    return fields;
}

class Loop {
  public:
    /* `key` holds `key_count` keys of one length, one after the other. */
    Loop(const Implementation &implementation, const nb::bytes &key, size_t message_bytes,
         bool latency, bool cold, bool fresh_key, size_t batch, size_t key_count,
         const std::vector<size_t> &lengths)
        : implementation_(implementation) {
        const jm_implementation *table = implementation.table;
        if (table->kind == JM_KIND_CIPHER &&
            (message_bytes == 0 || message_bytes % table->block_bytes))
            throw nb::value_error("a cipher takes whole blocks");
        if (key_count == 0 || key.size() % key_count)
            throw nb::value_error("the keys are not of one length");
        const jm_loop_request request = {table,
                                         data_of(key),
                                         key.size() / key_count,
                                         key_count,
                                         message_bytes,
                                         batch,
                                         lengths.empty() ? nullptr : lengths.data(),
                                         lengths.size(),
                                         latency,
                                         cold,
                                         fresh_key && table->kind != JM_KIND_HASH};
        check_loop(jm_loop_open(&request, &loop_));
    }
    ~Loop() {
        if (loop_) jm_loop_close(loop_);
    }
    Loop(const Loop &) = delete;

    nb::tuple calibrate(uint64_t window_ns) {
        jm_calibration found;
        check_loop(jm_loop_calibrate(loop_, window_ns, &found));
        return nb::make_tuple(found.messages, found.message_ps);
    }
    nb::tuple visit(uint64_t warm_up, uint64_t settle, uint64_t messages,
                    const std::vector<uint64_t> &placements) {
        if (messages == 0) throw nb::value_error("a window has at least one message");
        if (placements.empty()) throw nb::value_error("a visit has at least one window");
        const jm_visit_request request = {warm_up, settle, messages, placements.data(),
                                          placements.size()};
        std::vector<jm_sample> taken(placements.size());
        jm_visit visit;
        check_loop(jm_loop_visit(loop_, &request, taken.data(), &visit));
        nb::list samples;
        for (const jm_sample &sample : taken) samples.append(as_dict(sample));
        return nb::make_tuple(as_dict(visit), samples);
    }
    uint64_t quantum() const { return jm_loop_quantum(loop_); }
    void run(uint64_t messages) { check_loop(jm_loop_run(loop_, messages)); }
    nb::bytes output() {
        const uint8_t *bytes = nullptr;
        size_t count = 0;
        check_loop(jm_loop_output(loop_, &bytes, &count));
        return nb::bytes(bytes, count);
    }

  private:
    Implementation implementation_;
    jm_loop *loop_ = nullptr;
};

} // namespace

void bind_loop(nb::module_ &module) {
    nb::class_<Loop>(module, "Loop")
        .def(nb::init<const Implementation &, const nb::bytes &, size_t, bool, bool, bool, size_t,
                      size_t, const std::vector<size_t> &>(),
             nb::arg("implementation"), nb::arg("key"), nb::arg("message_bytes"),
             nb::arg("latency") = false, nb::arg("cold") = false, nb::arg("fresh_key") = false,
             nb::arg("batch") = 1, nb::arg("key_count") = 1,
             nb::arg("lengths") = std::vector<size_t>())
        .def_prop_ro("quantum", &Loop::quantum)
        .def("calibrate", &Loop::calibrate, nb::arg("window_ns"))
        .def("visit", &Loop::visit, nb::arg("warm_up"), nb::arg("settle"), nb::arg("messages"),
             nb::arg("placements"))
        .def("run", &Loop::run, nb::arg("messages"))
        .def("output", &Loop::output);
    module.def("loop_without_call_ns", jm_loop_without_call_ns, nb::arg("messages"));
    module.def("nothing", [] { return Implementation{&jm_loop_nothing, nullptr}; });
    module.def(
        "message",
        [](size_t bytes, uint64_t start) {
            nb::bytes made = nb::steal<nb::bytes>(
                PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes)));
            auto *to = reinterpret_cast<uint8_t *>(bytes_memory(made.ptr()));
            for (size_t i = 0; i < bytes; i++) to[i] = jm_message_byte(start + i);
            return made;
        },
        nb::arg("size_bytes"), nb::arg("start") = 0,
        "The message that lies `start` bytes from the first one of its batch.");
}

} // namespace jm
