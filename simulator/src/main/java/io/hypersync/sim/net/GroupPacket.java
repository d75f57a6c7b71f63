package io.hypersync.sim.net;

import io.hypersync.wire.message.ChunkSymbol;
import org.jspecify.annotations.Nullable;

/**
 * A packet that goes to all workers; what is sealed in a real one.
 *
 * @param epoch the run of its sender
 * @param number from 1 on
 * @param symbol null for a beacon
 */
public record GroupPacket(long epoch, long number, @Nullable ChunkSymbol symbol) {}
