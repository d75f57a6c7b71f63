/**
 * What the leader tells agents by Agent Mail (hypersync.md 11.2), and how its server is asked.
 * Pure: time and answers are given to it; {@code leader.daemon.mail} has threads, files and HTTP.
 */
@NullMarked
package io.hypersync.leader.mail;

import org.jspecify.annotations.NullMarked;
