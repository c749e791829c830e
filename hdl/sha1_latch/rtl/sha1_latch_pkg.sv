// SPDX-License-Identifier: Apache-2.0
//
// The places of bits in the delay lines of sha1_latch, and SHA-1's constants byte by byte.
//
// A round has four clocks, a clock a high and a low half: eight phases, 0 to 7, after which the
// next round begins. A line is a row of latch slots. Slot 1 takes byte `lane` of a new word in
// phase 2*lane+1, and slot k takes it over from slot k-1 one phase before slot k-1 takes the next
// byte: in phase 2*lane+1 + 7*(k-1), counted from the round in which the word was born. A slot so
// holds a byte for 7 phases of 8 and is open in the eighth; eight slots delay by seven rounds where
// flip-flops, which are two latches each, would need fourteen.
//
// Constants: FIPS 180-4, sections 4.2.1 and 5.3.1.
package sha1_latch_pkg;
  // Stages 0 to 3 are the four kinds of 20 rounds.
  localparam logic [2:0] StageDigest = 3'd4;
  localparam logic [2:0] StageFill = 3'd5;

  // Constants of the lines' geometry and codes: no simulation runs these functions.
  // verilator coverage_off
  // The slot from which a bit of byte `lane`, born in round 0, is read in both halves of
  // clock `quarter` of round `lag`.
  function automatic int unsigned slot_of(int lane, int lag, int quarter);
    int last_phase;
    last_phase = 8 * lag + 2 * quarter + 1;
    return unsigned'((last_phase - (2 * lane + 1) + 6) / 7);
  endfunction

  // The half clock, 0 to 7, in which slot `slot` takes byte `lane`.
  function automatic int unsigned phase_of(int lane, int slot);
    return unsigned'((2 * lane + 1 + 7 * (slot - 1)) % 8);
  endfunction

  // The message's line: slot 0 takes every word; slots 1 to 4 have two copies, which take every
  // second word; slots 5 and 6 have four. Each of n copies has n rounds to keep a word, and so
  // holds it for 8*n-1 phases.
  localparam int unsigned MessageSlots = 7;
  localparam int unsigned MessageWords = 17;

  // The number of copies of message slot `slot`.
  function automatic int unsigned copies_of(int slot);
    return (slot == 0) ? 1 : (slot < 5) ? 2 : 4;
  endfunction

  // The index of the slot's first copy among all words.
  function automatic int unsigned first_of(int slot);
    return unsigned'((slot == 0) ? 0 : (slot < 5) ? 2 * slot - 1 : 4 * slot - 11);
  endfunction

  // The phases from a byte's birth until message slot `slot` takes it.
  function automatic int message_opens(int slot);
    return (slot == 0) ? 0 : (slot < 5) ? 15 * slot - 8 : 30 * slot - 83;
  endfunction

  // The message slot from which a bit is read, like `slot_of` for the state.
  function automatic int message_slot_of(int lane, int lag, int quarter);
    int found;
    found = 0;
    for (int slot = 1; slot < int'(MessageSlots); slot++) begin
      if (message_opens(slot) < 8 * lag + 2 * quarter - 2 * lane) found = slot;
    end
    return found;
  endfunction

  // The code of the digest's turn `number`, 0 to 4.
  function automatic logic [2:0] turn_of(int number);
    unique case (number)
      0: return 3'b000;
      1: return 3'b001;
      2: return 3'b011;
      3: return 3'b111;
      default: return 3'b110;
    endcase
  endfunction

  // verilator coverage_on

  // Byte `quarter` of K for rounds 0-19, 20-39, 40-59, 60-79.
  function automatic logic [7:0] round_constant(logic [1:0] stage, logic [1:0] quarter);
    logic [31:0] word;
    unique case (stage)
      2'd0: word = 32'h5A827999;
      2'd1: word = 32'h6ED9EBA1;
      2'd2: word = 32'h8F1BBCDC;
      default: word = 32'hCA62C1D6;
    endcase
    return word[8*quarter+:8];
  endfunction

  // Byte `quarter` of H4 to H0 in the turns of the digest. H0 to H3 count up or down in steps of
  // 22h from byte to byte, so that two bits of `quarter` give nearly the whole value.
  function automatic logic [7:0] initial_value(logic [2:0] turn, logic [1:0] quarter);
    logic       down;
    logic [1:0] digit;
    down  = ~turn[2] & turn[0];
    digit = quarter ^ {2{down}};
    // Coverage counts a branch at its end, which a return does not reach.
    // verilator coverage_off
    if (turn[2:1] == 2'b00 && !turn[0]) begin
      return {2'b11, ~quarter, 2'b00, quarter};
    end
    // verilator coverage_on
    return {turn[1] & turn[0], digit, down, turn[1] & turn[0], digit, ~down};
  endfunction

  // The initial value with H4 to H2 rotated left by two, as the state needs them.
  function automatic logic [7:0] initial_state(logic [2:0] turn, logic [1:0] quarter);
    logic [7:0] value;
    logic [1:0] carried;
    value   = initial_value(turn, quarter);
    carried = {~turn[0] | turn[1], ~turn[0] | (quarter[1] ^ quarter[0])};
    return turn[2] ? value : {value[5:0], carried};
  endfunction
endpackage
