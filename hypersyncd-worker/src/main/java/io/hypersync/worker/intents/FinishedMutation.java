package io.hypersync.worker.intents;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.log.LogEntry;
import org.jspecify.annotations.Nullable;

/**
 * A mutation whose caller has just been told the end.
 *
 * @param intent what it was called at the leader
 * @param entry what became of it, or null if the leader has refused it
 */
public record FinishedMutation(IntentId intent, Mutation mutation, @Nullable LogEntry entry) {}
