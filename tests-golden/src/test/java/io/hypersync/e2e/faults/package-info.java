/** Crashes, power cuts, partitions, full disks, rotten chunks and refusals (hypersync.md 22.3). */
@NullMarked
package io.hypersync.e2e.faults;

import org.jspecify.annotations.NullMarked;
