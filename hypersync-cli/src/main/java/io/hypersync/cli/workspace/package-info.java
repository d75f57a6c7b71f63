/** Files beside the log: a leader's workspace directory and a worker's enrolment. */
@NullMarked
package io.hypersync.cli.workspace;

import org.jspecify.annotations.NullMarked;
