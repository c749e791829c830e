// SPDX-License-Identifier: Apache-2.0
//
// Every pair of STAGES and ROUNDS of `hmac_sha256` in one simulation, each at its own pace on the
// same table of messages; the other parameters are varied over the pairs. OFFSET 0 to 11 shifts
// these, so that 12 builds have every combination at INTERLEAVE=1. FIRST and CASES select some of
// the pairs.
module hmac_sha256_grid #(
  parameter int unsigned OFFSET = 0,
  parameter int unsigned FIRST = 0,
  parameter int unsigned CASES = 12,
  localparam int unsigned Words = 64,
  localparam int unsigned Messages = 32
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    wipe_i,
  input  logic                    start_i,
  input  logic                    stall_i,
  input  logic [7:0]              words_i,
  input  logic [7:0]              messages_i,
  input  logic [511:0]            key_i,
  output logic [CASES-1:0][31:0]  parameters_o,  // STAGES, ROUNDS, PRECOMPUTE; bits of the others
  output logic [CASES-1:0][7:0]   tags_o,
  output logic [CASES-1:0][7:0]   wrong_o,
  output logic [CASES-1:0][15:0]  latency_o,
  output logic [CASES-1:0][15:0]  interval_o
);
  // Written by the test: {channel, last, bytes, data}, and the right tags.
  logic [520:0] words[Words];
  logic [255:0] tags[Messages];

  for (genvar n = 0; n < CASES; n++) begin : gen_case
    localparam int unsigned Column = (FIRST + n) / 3;
    localparam int unsigned Row = (FIRST + n) % 3;
    localparam int unsigned Stages = 1 << Column;
    localparam int unsigned Rounds = 1 << Row;
    localparam int unsigned Precompute = (Column + Row + OFFSET) % 3;
    localparam int unsigned CarrySave = (Column / 2 + Column + Row + OFFSET / 3) % 2;
    // Only the paper's cores have words that move (SCHEDULE 0).
    localparam bit Paper = Rounds <= 2 && Precompute <= 1 && CarrySave == 0;
    localparam int unsigned Schedule = Paper ? (Column / 2 + Row + OFFSET / 6) % 2 : 1;
    logic [7:0] word;
    logic [7:0] message;

    assign parameters_o[n] = {
      8'(Stages), 8'(Rounds), 8'(Precompute), 8'(2 * CarrySave + Schedule)
    };

    hmac_sha256_case #(
      .STAGES     (Stages),
      .ROUNDS     (Rounds),
      .PRECOMPUTE (Precompute),
      .CARRY_SAVE (CarrySave),
      .SCHEDULE   (Schedule),
      .SEED       (n + 1)
    ) u_case (
      .clk_i,
      .rst_ni,
      .wipe_i,
      .start_i,
      .stall_i,
      .words_i,
      .messages_i,
      .key_i,
      .word_o         (word),
      .word_i         (words[word[5:0]][511:0]),
      .word_bytes_i   (words[word[5:0]][518:512]),
      .word_last_i    (words[word[5:0]][519]),
      .word_channel_i (words[word[5:0]][520]),
      .message_o      (message),
      .tag_i          (tags[message[4:0]]),
      .tags_o         (tags_o[n]),
      .wrong_o        (wrong_o[n]),
      .latency_o      (latency_o[n]),
      .interval_o     (interval_o[n])
    );
  end
endmodule
