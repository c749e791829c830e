// SPDX-License-Identifier: Apache-2.0
//
// Signals from the control of aes128_latch to its data path in one clock period (a slot).
//
// Stage 1 reads a byte into a register; stage 2, one slot later, takes it through the S-box and
// writes. Bytes are numbered 4 * column + row.
package aes128_latch_pkg;

  typedef struct packed {
    // Stage 1.
    logic load;            // the byte comes from the input
    logic key_slot;        // the byte comes from the key, for the key schedule
    logic [3:0] row_is;    // one-hot: row of the slot; stage 2 is at the row before
    logic [15:0] state_read;  // at most one high
    logic [15:0] key_read;    // at most one high
    // Stage 2.
    logic loaded;          // the byte came from the input
    logic key_word;        // the byte came from the key
    logic [7:0] constant;  // round constant for the byte of the key, 0 for most
    logic mix;             // MixColumns is due and its four bytes are there
    logic [15:0] state_write;  // the four bytes of a column; valid in slots of row 0
    logic [3:0] key_write;     // one-hot: column of the round key's byte; 0 without such a byte
    logic out;             // the byte belongs to the result
  } control_t;

endpackage
