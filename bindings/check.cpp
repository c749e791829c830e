// SPDX-License-Identifier: Apache-2.0
// The check of an implementation against a trusted implementation.
#include "check/check.h"

#include <dlfcn.h>

#include <nanobind/stl/string.h>

#include <cstring>

#include "binding.h"
#include "kt128/kt128_longer.h"
#include "supercop/checksum.h"

namespace jm {
namespace {

const char *verdict_name(jm_verdict verdict) {
    switch (verdict) {
    case JM_RIGHT:
        return "right";
    case JM_WRONG_OUTPUT:
        return "wrong output";
    case JM_WROTE_BEFORE_OUTPUT:
        return "wrote before its output";
    case JM_WROTE_BEHIND_OUTPUT:
        return "wrote past the end of its output";
    case JM_WROTE_MESSAGE:
        return "wrote into its message";
    case JM_WROTE_BEHIND_STATE:
        return "wrote past the end of its state";
    case JM_WROTE_KEY:
        return "wrote into its key";
    case JM_TOUCHED_BEYOND_MESSAGE:
        return "touched memory beyond its message";
    case JM_TOUCHED_BEYOND_OUTPUT:
        return "touched memory beyond its output";
    case JM_TOUCHED_BEYOND_KEY:
        return "touched memory beyond its key";
    case JM_TOUCHED_BEYOND_STATE:
        return "touched memory beyond its state";
    case JM_REFUSED_KEY:
        return "refused a key";
    case JM_REFUSED_MESSAGE:
        return "reported a failure";
    case JM_NOT_FOR_THIS:
        return "not for this";
    case JM_NO_MEMORY:
        return "no memory";
    }
    return "unknown";
}

nb::object as_dict(const jm_finding &finding) {
    if (finding.verdict == JM_RIGHT) return nb::none();
    if (finding.verdict == JM_NO_MEMORY) throw std::bad_alloc();
    static char line[JM_CASE_TEXT_BYTES];
    const jm_case &check_case = finding.smallest;
    jm_case_text(&check_case, line);
    nb::dict fields;
    fields["verdict"] = verdict_name(finding.verdict);
    fields["line"] = nb::str(line);
    fields["call"] = nb::str(line, static_cast<size_t>(strchr(line, ' ') - line));
    fields["repeats"] = finding.repeats;
    fields["part"] = finding.part;
    fields["parts"] = check_case.parts;
    fields["keys"] = check_case.keys;
    fields["key_bytes"] = check_case.key_bytes;
    fields["message_bytes"] = finding.message_bytes;
    fields["at"] = check_case.at == JM_AT_END ? nb::none() : nb::object(nb::int_(check_case.at));
    fields["out"] = check_case.out == JM_AT_END ? nb::none() : nb::object(nb::int_(check_case.out));
    fields["got"] = nb::bytes(finding.got, finding.output_bytes);
    fields["expected"] = nb::bytes(finding.expected, finding.output_bytes);
    return fields;
}

nb::dict as_dict(const jm_coverage &coverage) {
    nb::dict fields;
    fields["lengths"] = coverage.lengths;
    fields["long_lengths"] = coverage.long_lengths;
    fields["alignments"] = coverage.alignments;
    fields["keys"] = coverage.keys;
    fields["key_lengths"] = coverage.key_lengths;
    fields["streams"] = coverage.streams;
    fields["batches"] = coverage.batches;
    fields["structured"] = coverage.structured;
    fields["thread_calls"] = coverage.thread_calls;
    fields["calls"] = coverage.calls;
    fields["longest_bytes"] = coverage.longest_bytes;
    fields["refused_bytes"] = coverage.refused_bytes;
    return fields;
}

class Checker {
  public:
    Checker(const Implementation &implementation, const Implementation &trusted)
        : implementation_(implementation), trusted_(trusted) {
        const jm_implementation *self = implementation.table, *other = trusted.table;
        if (self->kind != other->kind || self->output_bytes != other->output_bytes ||
            self->block_bytes != other->block_bytes)
            throw nb::value_error(
                "its block or its output has another length than the algorithm's");
        checker_ = jm_checker_open(self, other);
        if (!checker_) throw std::bad_alloc();
        if (is_python(self))
            jm_checker_keep_to_one_thread(checker_);
        else if (implementation.owner && dlsym(implementation.owner.get(), JM_KEYS_CHANGE_ENTRY))
            jm_checker_let_keys_change(checker_);
    }
    ~Checker() {
        if (checker_) jm_checker_close(checker_);
    }
    Checker(const Checker &) = delete;

    nb::tuple run(uint64_t seed, uint64_t cpu_ns, bool huge, bool slack) {
        const jm_check_request request = {seed, cpu_ns, huge, slack};
        jm_coverage coverage;
        jm_finding finding;
        jm_check(checker_, &request, &coverage, &finding);
        return nb::make_tuple(as_dict(coverage), as_dict(finding));
    }
    nb::object replay(const std::string &line) {
        jm_case check_case;
        jm_finding finding;
        if (!jm_case_parse(line.c_str(), &check_case)) throw nb::value_error("no line of a check");
        if (jm_check_replay(checker_, &check_case, &finding) == JM_NOT_FOR_THIS)
            throw nb::value_error("a case that this implementation does not take");
        return as_dict(finding);
    }
    nb::object spot(uint64_t number) {
        jm_finding finding;
        jm_check_spot(checker_, number, &finding);
        return as_dict(finding);
    }

  private:
    Implementation implementation_, trusted_;
    jm_checker *checker_ = nullptr;
};

nb::bytes every_output(const Implementation &implementation) {
    size_t bytes = 0;
    std::unique_ptr<uint8_t, void (*)(void *)> outputs(
        jm_check_every_output(implementation.table, &bytes), std::free);
    if (!outputs) throw std::runtime_error("the implementation refused a message");
    return nb::bytes(outputs.get(), bytes);
}

jm_supercop_answer supercop_answer(const Implementation &implementation,
                                   const jm_supercop_request &request) {
    jm_supercop_answer answer;
    check(jm_supercop_checksum(implementation.table, &request, &answer), implementation.table);
    return answer;
}

nb::bytes supercop_checksum(const Implementation &implementation, size_t key_bytes,
                            size_t output_bytes, bool big) {
    const jm_supercop_request request = {key_bytes, output_bytes, big, nullptr, nullptr};
    const jm_implementation *longer = jm_kt128_longer(implementation.table);
    const bool is_longer = longer && output_bytes > implementation.table->output_bytes;
    jm_supercop_answer answer;
    check(jm_supercop_checksum(is_longer ? longer : implementation.table, &request, &answer),
          implementation.table);
    return nb::bytes(answer.checksum, sizeof answer.checksum);
}

const char *fault_name(jm_supercop_fault fault) {
    switch (fault) {
    case JM_SUPERCOP_SOUND:
        return nullptr;
    case JM_SUPERCOP_WROTE_OUTSIDE:
        return "wrote outside its output";
    case JM_SUPERCOP_WROTE_INPUT:
        return "wrote into or round its inputs";
    case JM_SUPERCOP_NOT_DETERMINISTIC:
        return "gives another output when it is called again";
    case JM_SUPERCOP_NO_OVERLAP:
        return "is wrong where its output takes the place of its message";
    case JM_SUPERCOP_NO_KEY_OVERLAP:
        return "is wrong where its output takes the place of its key";
    case JM_SUPERCOP_RETURNED:
        return "returns something else than 0";
    case JM_SUPERCOP_REFUSED_TAG:
        return "refuses a right tag";
    case JM_SUPERCOP_ACCEPTED_FORGERY:
        return "accepts a forged tag";
    }
    return "unknown";
}

/* Returns checksumsmall, the fault that SUPERCOP would refuse or None, and the length in bytes of
 * the message that showed the fault. */
nb::tuple supercop_try(const Implementation &implementation, size_t key_bytes,
                       size_t output_bytes) {
    const auto found = [&implementation](const char *name) {
        void *const plugin = implementation.owner.get();
        return plugin ? dlsym(plugin, name) : nullptr;
    };
    const jm_supercop_request request = {
        key_bytes, output_bytes, false,
        reinterpret_cast<jm_supercop_compute>(found(JM_SUPERCOP_COMPUTE_ENTRY)),
        reinterpret_cast<jm_supercop_verify>(found(JM_SUPERCOP_VERIFY_ENTRY))};
    const jm_supercop_answer answer = supercop_answer(implementation, request);
    const char *fault = fault_name(answer.fault);
    return nb::make_tuple(nb::bytes(answer.checksum, sizeof answer.checksum),
                          fault ? nb::object(nb::str(fault)) : nb::none(), answer.message_bytes);
}

} // namespace

void bind_check(nb::module_ &module) {
    nb::class_<Checker>(module, "Checker")
        .def(nb::init<const Implementation &, const Implementation &>(), nb::arg("implementation"),
             nb::arg("trusted"))
        .def("run", &Checker::run, nb::arg("seed"), nb::arg("cpu_ns"), nb::arg("huge"),
             nb::arg("slack"), "What was checked, and the finding or None.")
        .def("replay", &Checker::replay, nb::arg("line"), "The finding, or None.")
        .def("spot", &Checker::spot, nb::arg("number"),
             "One short message that the number chooses: the finding, or None.");
    module.def("every_output", every_output, nb::arg("implementation"),
               "Outputs of all lengths to EVERY_LENGTH under key 0, one after the other.");
    module.def("supercop_checksum", supercop_checksum, nb::arg("implementation"),
               nb::arg("key_bytes"), nb::arg("output_bytes"), nb::arg("big"),
               "SUPERCOP's checksumsmall or checksumbig of a hash or a MAC, 32 bytes.");
    module.def("supercop_try", supercop_try, nb::arg("implementation"), nb::arg("key_bytes"),
               nb::arg("output_bytes"),
               "checksumsmall; what SUPERCOP refuses of a user's code, or None; for which length.");
    module.attr("EVERY_LENGTH") = JM_CHECK_EVERY_LENGTH;
}

} // namespace jm
