package io.hypersync.worker.intents;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.op.FsOp;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.List;

/**
 * A mutation that a process has asked for.
 *
 * @param unique the number of its FUSE request; {@link RequestId#NONE} if a signal must not end it
 *     any more
 * @param caller the calling thread; mutations of one caller are committed in the order of
 *     submission
 * @param agent the name of the caller's agent, for reports; empty if it is not known
 * @param context of the call, for reports of hazards
 * @param op the change
 * @param chunks the bytes of {@code op.chunks()}, in order
 * @param uploading those of them that the leader cannot have yet
 * @param completion receives the outcome
 * @param lockSession the lock session that it rests on, as in SubmitIntent; 0 for none. It is kept
 *     however often the mutation is sent: what was asked for before a loss is refused after it
 * @param times timestamps of its stages
 */
public record Mutation(
    RequestId unique,
    int caller,
    String agent,
    CallContext context,
    FsOp op,
    List<Chunk> chunks,
    List<Hash> uploading,
    Completion completion,
    long lockSession,
    MutationTimestamps times) {}
