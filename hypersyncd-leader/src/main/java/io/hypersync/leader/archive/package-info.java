/**
 * Backups on disk: the directory and its label, choosing and checking the states in it, and the
 * state directory of a new leader that is made from one. The edge: files and locks.
 */
@NullMarked
package io.hypersync.leader.archive;

import org.jspecify.annotations.NullMarked;
