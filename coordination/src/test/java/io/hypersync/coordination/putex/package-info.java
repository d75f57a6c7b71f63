/** The process mutex: its arrows as a table, and thousands of histories of several agents. */
@NullMarked
package io.hypersync.coordination.putex;

import org.jspecify.annotations.NullMarked;
