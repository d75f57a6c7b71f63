package io.hypersync.worker.intents;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.log.LogEntry;
import org.jspecify.annotations.Nullable;

/**
 * A mutation whose caller has just been answered after the leader had decided it.
 *
 * @param intent its id at the leader
 * @param entry its log entry, or null if the leader refused it
 */
public record FinishedMutation(IntentId intent, Mutation mutation, @Nullable LogEntry entry) {}
