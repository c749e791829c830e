/* SPDX-License-Identifier: Apache-2.0
 * Tables with wrong numbers. */
#include "hostile.h"

#include <string.h>

static void interface_of_tomorrow(tables *of) {
    of->plugin->abi_version = JM_ABI_VERSION + 1;
}

static void interface_of_nobody(tables *of) {
    of->plugin->abi_version = 0;
}

static void count_of_none(tables *of) {
    of->plugin->count = 0;
}

static void count_of_more_than_there_are(tables *of) {
    of->plugin->count = 2;
}

static void count_without_end(tables *of) {
    of->plugin->count = SIZE_MAX;
}

static void kind_of_nothing(tables *of) {
    of->implementation->kind = (jm_kind)0;
}

static void kind_of_a_hash(tables *of) {
    of->implementation->kind = JM_KIND_HASH;
}

static void kind_of_a_cipher(tables *of) {
    of->implementation->kind = JM_KIND_CIPHER;
}

static void kind_of_nobody(tables *of) {
    of->implementation->kind = (jm_kind)77;
}

static void features_of_nobody(tables *of) {
    of->implementation->cpu_features = UINT32_MAX;
}

static void lanes_of_none(tables *of) {
    of->implementation->lanes = 0;
}

static void lanes_without_end(tables *of) {
    of->implementation->lanes = UINT32_MAX;
}

static void constant_time_of_seven(tables *of) {
    memset(&of->implementation->constant_time, 7, 1);
}

static void block_of_nothing(tables *of) {
    of->implementation->block_bytes = 0;
}

static void block_of_another_length(tables *of) {
    of->implementation->block_bytes = 9;
}

static void block_without_end(tables *of) {
    of->implementation->block_bytes = SIZE_MAX;
}

static void output_of_nothing(tables *of) {
    of->implementation->output_bytes = 0;
}

static void output_of_another_length(tables *of) {
    of->implementation->output_bytes = 7;
}

static void output_of_too_much(tables *of) {
    of->implementation->output_bytes = JM_OUTPUT_BYTES_MAX + 1;
}

static void output_without_end(tables *of) {
    of->implementation->output_bytes = SIZE_MAX;
}

static void key_of_nothing(tables *of) {
    of->implementation->key_bytes = 0;
}

static void key_without_end(tables *of) {
    of->implementation->key_bytes = (size_t)1 << 40;
}

static void key_of_sixty_thousand(tables *of) {
    of->implementation->key_bytes = of->implementation->key_bytes_max = 60000;
}

static void keys_upside_down(tables *of) {
    of->implementation->key_bytes_min = 32, of->implementation->key_bytes_max = 8;
}

static void keys_of_any_length(tables *of) {
    of->implementation->key_bytes_min = 0, of->implementation->key_bytes_max = SIZE_MAX;
}

static void key_outside_its_bounds(tables *of) {
    of->implementation->key_bytes = 17;
}

static void state_of_nothing(tables *of) {
    of->functions->key_state_bytes = 0;
}

static void state_without_end(tables *of) {
    of->functions->key_state_bytes = SIZE_MAX;
}

static void state_of_almost_all(tables *of) {
    of->functions->key_state_bytes = SIZE_MAX - 100;
}

static void stream_without_functions(tables *of) {
    of->functions->stream_bytes = 64, of->functions->stream_begin = NULL;
}

static void stream_without_end(tables *of) {
    of->functions->stream_bytes = SIZE_MAX;
}

const wrong_table wrong_numbers[] = {
    {"interface_of_tomorrow", interface_of_tomorrow},
    {"interface_of_nobody", interface_of_nobody},
    {"count_of_none", count_of_none},
    {"count_of_more_than_there_are", count_of_more_than_there_are},
    {"count_without_end", count_without_end},
    {"kind_of_nothing", kind_of_nothing},
    {"kind_of_a_hash", kind_of_a_hash},
    {"kind_of_a_cipher", kind_of_a_cipher},
    {"kind_of_nobody", kind_of_nobody},
    {"features_of_nobody", features_of_nobody},
    {"lanes_of_none", lanes_of_none},
    {"lanes_without_end", lanes_without_end},
    {"constant_time_of_seven", constant_time_of_seven},
    {"block_of_nothing", block_of_nothing},
    {"block_of_another_length", block_of_another_length},
    {"block_without_end", block_without_end},
    {"output_of_nothing", output_of_nothing},
    {"output_of_another_length", output_of_another_length},
    {"output_of_too_much", output_of_too_much},
    {"output_without_end", output_without_end},
    {"key_of_nothing", key_of_nothing},
    {"key_without_end", key_without_end},
    {"key_of_sixty_thousand", key_of_sixty_thousand},
    {"keys_upside_down", keys_upside_down},
    {"keys_of_any_length", keys_of_any_length},
    {"key_outside_its_bounds", key_outside_its_bounds},
    {"state_of_nothing", state_of_nothing},
    {"state_without_end", state_without_end},
    {"state_of_almost_all", state_of_almost_all},
    {"stream_without_functions", stream_without_functions},
    {"stream_without_end", stream_without_end},
    {0},
};
