package io.hypersync.worker.intents;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.FsOp;
import java.util.List;

/**
 * A mutation that a process has asked for.
 *
 * @param unique the number of the request that asks; 0 if a signal must not end it any more
 * @param caller who asks: calls of one caller are committed in the order of their submission
 * @param agent name of the agent, may be empty
 * @param op what shall happen
 * @param chunks the bytes of {@code op.chunks()}, in order
 * @param uploading those of them which the leader cannot have yet
 * @param completion told the end
 * @param times when it was where
 */
public record Mutation(
    long unique,
    int caller,
    String agent,
    FsOp op,
    List<Chunk> chunks,
    List<Hash> uploading,
    Completion completion,
    MutationTimes times) {}
