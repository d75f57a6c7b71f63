/**
 * What a leader tells workers that no entry of the log tells: numbered by session, and kept while
 * the worker is away.
 */
@NullMarked
package io.hypersync.leader.notice;

import org.jspecify.annotations.NullMarked;
