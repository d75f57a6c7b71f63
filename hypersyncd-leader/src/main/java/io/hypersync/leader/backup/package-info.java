/**
 * What a backup copies, and when it is complete. Pure: stores and rate limits are given from
 * outside, files and threads are in {@code leader.archive} and {@code leader.daemon}.
 */
@NullMarked
package io.hypersync.leader.backup;

import org.jspecify.annotations.NullMarked;
