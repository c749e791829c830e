/* SPDX-License-Identifier: Apache-2.0
 * The last step of a build: every implementation that this machine can run gives its known answer,
 * or the build ends, and names those that do not. */
#include <stdio.h>

#include "joulemark/kernel.h"
#include "mac/known_answers.h"

int main(void) {
    const jm_plugin *plugin = jm_builtin_plugin();
    size_t right = 0, wrong = 0, not_run = 0;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        if (implementation->cpu_features & ~jm_cpu_features()) {
            not_run++;
        } else if (jm_gives_known_answer(implementation)) {
            right++;
        } else {
            wrong++;
            printf("%s/%s gives a wrong answer\n", implementation->algorithm,
                   implementation->variant);
        }
    }
    printf("%zu implementations give their known answers; %zu need another CPU\n", right, not_run);
    if (wrong)
        printf("%zu do not: %s makes wrong code of them; take another compiler or version\n", wrong,
               plugin->compiler);
    return wrong != 0;
}
