package io.hypersync.leader.sequencer;

import io.hypersync.model.id.WorkerId;

/**
 * The answer that is to be sent next.
 *
 * @param worker who gets it
 * @param index the newest entry that it rests on
 */
public record OldestAck(WorkerId worker, long index) {}
