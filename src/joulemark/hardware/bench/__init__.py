# SPDX-License-Identifier: Apache-2.0
"""Code that runs inside the simulator: streams, adapters, and what tests of cores share.

Adapters use two moments of the clock and no others. They change inputs right after a rising edge,
and look at signals on the falling edge, when every input and output of that clock period has
settled. In any simulator, the next rising edge acts on the values that the falling edge shows.

Where a core says when its next input may come by an output that only registers drive, an adapter
answers in the same period, as a circuit in front of the core would: it looks as soon as all has
settled after the rising edge, and changes its inputs then, long before the falling edge.
"""
