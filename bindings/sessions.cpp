// SPDX-License-Identifier: Apache-2.0
// Runs many sessions at once: each in a thread, or all gathered into batches.
#include "sessions.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"
#include "gather.h"

namespace jm {
namespace {

void check_sessions(jm_sessions_status status) {
    switch (status) {
    case JM_SESSIONS_OK:
        return;
    case JM_SESSIONS_MEMORY:
        throw std::bad_alloc();
    case JM_SESSIONS_KEY:
        throw nb::value_error("the implementation refused the key");
    case JM_SESSIONS_REFUSED:
        throw std::runtime_error("the implementation returned an error");
    case JM_SESSIONS_LENGTH:
        throw MessageLength("the implementation does not take messages of this length");
    case JM_SESSIONS_THREAD:
        throw std::runtime_error("this system gives no more threads; ask for fewer sessions");
    case JM_SESSIONS_CORES:
        throw std::runtime_error("this system does not let the sessions run on these cores");
    case JM_SESSIONS_OVERRUN:
        throw std::runtime_error("the implementation wrote outside its output buffer, or into "
                                 "its message");
    case JM_SESSIONS_NONSENSE:
        throw nb::value_error("sessions are 1 to 1000, authenticate messages, and have a window "
                              "and cores");
    }
}

nb::dict as_dict(const jm_session_counts &counts) {
    nb::dict fields;
    fields["messages"] = counts.messages;
    fields["tagged_bytes"] = counts.bytes;
    fields["wall_ns"] = counts.wall_ns;
    fields["thread_cpu_ns"] = counts.thread_cpu_ns;
    fields["ticks"] = counts.ticks;
    fields["voluntary_switches"] = counts.voluntary_switches;
    fields["involuntary_switches"] = counts.involuntary_switches;
    fields["migrations"] = counts.migrations;
    fields["chain_ticks_before"] = counter(counts.chain_ticks_before);
    fields["chain_ticks_after"] = counter(counts.chain_ticks_after);
    fields["last_bytes"] = counts.last_bytes;
    fields["last_nonce"] = counts.last_nonce;
    return fields;
}

nb::list counted(const uint64_t *latencies) {
    nb::list found;
    for (uint32_t bucket = 0; bucket < JM_LATENCY_BUCKETS; bucket++)
        if (latencies[bucket]) found.append(nb::make_tuple(bucket, latencies[bucket]));
    return found;
}

nb::dict as_dict(const jm_sessions_window &window) {
    nb::dict fields;
    fields["ticks_are_tsc"] = window.ticks_are_tsc;
    fields["window_ticks"] = window.ticks;
    fields["clock_ns"] = window.clock_ns;
    fields["clock_ticks"] = window.clock_ticks;
    fields["clock_pair_ticks"] = window.clock_pair_ticks;
    fields["busy_ns"] = counter(window.busy_ns);
    fields["steal_ns"] = counter(window.steal_ns);
    fields["stretch_messages"] = window.stretch_messages;
    fields["chain_adds"] = window.chain_adds;
    nb::list parts;
    for (uint64_t bytes : window.part_bytes) parts.append(bytes);
    fields["part_bytes"] = parts;
    fields["latencies"] = counted(window.latencies);
    return fields;
}

/* Returns the counts of all sessions together, a list of the counts of each, and their last tags,
 * one after the other. */
nb::tuple run_sessions(const Implementation &implementation, const nb::bytes &keys, size_t sessions,
                       const std::vector<size_t> &lengths, const std::vector<int> &cores,
                       uint64_t warm_up_ns, uint64_t window_ns) {
    if (sessions == 0 || keys.size() % sessions)
        throw nb::value_error("the keys are not one for each session, of one length");
    const jm_sessions_request request = {
        implementation.table, data_of(keys), keys.size() / sessions, sessions,   lengths.data(),
        lengths.size(),       cores.data(),  cores.size(),           warm_up_ns, window_ns};
    std::vector<jm_session_counts> counts(sessions);
    std::vector<uint8_t> tags(sessions * implementation.table->output_bytes);
    auto window = std::make_unique<jm_sessions_window>();
    jm_sessions_status status;
    {
        nb::gil_scoped_release released;
        status = jm_sessions_run(&request, counts.data(), tags.data(), window.get());
    }
    check_sessions(status);
    nb::list each;
    for (const jm_session_counts &session : counts) each.append(as_dict(session));
    return nb::make_tuple(as_dict(*window), each, nb::bytes(tags.data(), tags.size()));
}

nb::dict as_dict(const jm_gather_counts &counts) {
    nb::dict fields;
    fields["messages"] = counts.messages;
    fields["tagged_bytes"] = counts.bytes;
    fields["batches"] = counts.batches;
    fields["busy_ticks"] = counts.busy_ticks;
    fields["ticks"] = counts.ticks;
    fields["wall_ns"] = counts.wall_ns;
    fields["thread_cpu_ns"] = counts.thread_cpu_ns;
    fields["involuntary_switches"] = counts.involuntary_switches;
    fields["backlog_before"] = counts.backlog_before;
    fields["backlog_after"] = counts.backlog_after;
    return fields;
}

nb::dict as_dict(const jm_gather_window &window) {
    nb::dict fields;
    fields["ticks_are_tsc"] = window.ticks_are_tsc;
    fields["ticks_per_ns"] = window.ticks_per_ns;
    fields["clock_pair_ticks"] = window.clock_pair_ticks;
    fields["busy_ns"] = counter(window.busy_ns);
    fields["steal_ns"] = counter(window.steal_ns);
    fields["latencies"] = counted(window.latencies);
    nb::list parts;
    for (unsigned part = 0; part < JM_GATHER_PARTS; part++)
        parts.append(nb::make_tuple(window.part_messages[part], window.part_batches[part],
                                    window.part_busy_ticks[part]));
    fields["parts"] = parts;
    return fields;
}

/* Returns the counts of all gatherers together, a list of the counts of each, the messages of the
 * last batch of each, as session, length and nonce, and the tags of these messages, one after the
 * other. */
nb::tuple run_gatherers(const Implementation &implementation, const nb::bytes &keys,
                        size_t sessions, const std::vector<size_t> &lengths,
                        const std::vector<uint64_t> &gaps_ps, const std::vector<uint32_t> &senders,
                        size_t batch_most, uint64_t wait_ns, const std::vector<int> &cores,
                        uint64_t warm_up_ns, uint64_t window_ns) {
    if (sessions == 0 || keys.size() % sessions)
        throw nb::value_error("the keys are not one for each session, of one length");
    if (!gaps_ps.empty() && gaps_ps.size() != senders.size())
        throw nb::value_error("there are not as many gaps as senders");
    const jm_gather_request request = {implementation.table,
                                       data_of(keys),
                                       keys.size() / sessions,
                                       sessions,
                                       lengths.data(),
                                       lengths.size(),
                                       gaps_ps.empty() ? nullptr : gaps_ps.data(),
                                       senders.data(),
                                       senders.size(),
                                       batch_most,
                                       wait_ns,
                                       cores.data(),
                                       cores.size(),
                                       warm_up_ns,
                                       window_ns};
    const size_t slots = cores.size() * batch_most, tag_bytes = implementation.table->output_bytes;
    std::vector<jm_gather_counts> counts(cores.size());
    std::vector<size_t> last_counts(cores.size());
    std::vector<jm_gather_last> last(slots);
    std::vector<uint8_t> tags(slots * tag_bytes);
    auto window = std::make_unique<jm_gather_window>();
    jm_sessions_status status;
    {
        nb::gil_scoped_release released;
        status = jm_gather_run(&request, counts.data(), last_counts.data(), last.data(),
                               tags.data(), window.get());
    }
    check_sessions(status);
    nb::list each, left;
    std::string last_tags;
    for (size_t i = 0; i < cores.size(); i++) {
        each.append(as_dict(counts[i]));
        for (size_t slot = i * batch_most; slot < i * batch_most + last_counts[i]; slot++) {
            left.append(
                nb::make_tuple(last[slot].session, last[slot].message_bytes, last[slot].nonce));
            last_tags.append(reinterpret_cast<const char *>(tags.data()) + slot * tag_bytes,
                             tag_bytes);
        }
    }
    return nb::make_tuple(as_dict(*window), each, left,
                          nb::bytes(last_tags.data(), last_tags.size()));
}

} // namespace

static_assert(JM_SESSIONS_MAX == 1000, "as the refusal says");

void bind_sessions(nb::module_ &module) {
    module.attr("SESSIONS_MAX") = JM_SESSIONS_MAX;
    module.attr("SESSION_APART") = JM_SESSION_APART;
    module.attr("LATENCY_BUCKETS") = JM_LATENCY_BUCKETS;
    module.def("latency_lowest", jm_latency_lowest, nb::arg("bucket"));
    module.def("run_sessions", run_sessions, nb::arg("implementation"), nb::arg("keys"),
               nb::arg("sessions"), nb::arg("lengths"), nb::arg("cores"), nb::arg("warm_up_ns"),
               nb::arg("window_ns"));
    module.attr("GATHER_BATCH_MAX") = JM_GATHER_BATCH_MAX;
    module.def("run_gatherers", run_gatherers, nb::arg("implementation"), nb::arg("keys"),
               nb::arg("sessions"), nb::arg("lengths"), nb::arg("gaps_ps"), nb::arg("senders"),
               nb::arg("batch_most"), nb::arg("wait_ns"), nb::arg("cores"), nb::arg("warm_up_ns"),
               nb::arg("window_ns"));
}

} // namespace jm
