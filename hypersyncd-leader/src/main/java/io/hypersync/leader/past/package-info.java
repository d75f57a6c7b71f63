/** States of the past that workers have mounted, and what keeps them (hypersync.md 13, 14). */
@NullMarked
package io.hypersync.leader.past;

import org.jspecify.annotations.NullMarked;
