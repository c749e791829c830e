// SPDX-License-Identifier: Apache-2.0
//
// The state of Ascon, one round of its permutation, and the start of Ascon-Mac.
//
// Sources: Dobraunig, Eichlseder, Mendel and Schlaeffer, "Ascon v1.2" (2021), sections 2.6.1 to
// 2.6.3; the same, "Ascon PRF, MAC, and Short-Input MAC" (IACR ePrint 2021/1574), section 2.
package ascon_pkg;
  // Words x0 to x4, x0 in element 0; the first byte of a word in its bits [63:56].
  typedef logic [4:0][63:0] state_t;

  // 128 bits of key, 128 bits of output at a time, 12 rounds, 128 bits of output in all.
  localparam logic [63:0] StartWord = 64'h80808c0000000080;
  localparam int unsigned PermutationRounds = 12;

  function automatic state_t mac_start(input logic [127:0] key);
    mac_start = '0;
    mac_start[0] = StartWord;
    mac_start[1] = key[127:64];
    mac_start[2] = key[63:0];
  endfunction

  // The word rotated right by `count` bits.
  function automatic logic [63:0] rotate(input logic [63:0] word, input int unsigned count);
    rotate = (word >> count) | (word << (64 - count));
  endfunction

  // Round `index`, from 0 to 11, of the permutation with 12 rounds.
  function automatic state_t ascon_round(input state_t x, input logic [3:0] index);
    state_t mixed, flipped, after;
    // Constant and first part of the S-box.
    mixed = x;
    mixed[0] = x[0] ^ x[4];
    mixed[2] = x[2] ^ x[1] ^ {56'd0, ~index, index};
    mixed[4] = x[4] ^ x[3];
    // Non-linear part.
    for (int unsigned word = 0; word < 5; word++) begin
      flipped[word] = mixed[word] ^ (~mixed[(word + 1) % 5] & mixed[(word + 2) % 5]);
    end
    // Last part of the S-box.
    after[0] = flipped[0] ^ flipped[4];
    after[1] = flipped[1] ^ flipped[0];
    after[2] = ~flipped[2];
    after[3] = flipped[3] ^ flipped[2];
    after[4] = flipped[4];
    // Linear diffusion of each word.
    ascon_round[0] = after[0] ^ rotate(after[0], 19) ^ rotate(after[0], 28);
    ascon_round[1] = after[1] ^ rotate(after[1], 61) ^ rotate(after[1], 39);
    ascon_round[2] = after[2] ^ rotate(after[2], 1) ^ rotate(after[2], 6);
    ascon_round[3] = after[3] ^ rotate(after[3], 10) ^ rotate(after[3], 17);
    ascon_round[4] = after[4] ^ rotate(after[4], 7) ^ rotate(after[4], 41);
  endfunction
endpackage
