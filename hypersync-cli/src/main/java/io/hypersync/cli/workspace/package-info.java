/** What is on disk beside the log: the workspace folder of a leader, the enrolment of a worker. */
@NullMarked
package io.hypersync.cli.workspace;

import org.jspecify.annotations.NullMarked;
