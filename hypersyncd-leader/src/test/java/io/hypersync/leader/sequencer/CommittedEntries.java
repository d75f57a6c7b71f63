package io.hypersync.leader.sequencer;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.Committed;
import java.util.ArrayList;
import java.util.List;

/** Log entries with a given intent, each of them an append. */
final class CommittedEntries {
  static final WorkerId W = new WorkerId("w1");

  private static final List<ChunkRef> CHUNKS = List.of(new ChunkRef(Hash.ZERO, 5));

  private CommittedEntries() {}

  static IntentId intent(long client, long seqNo) {
    return new IntentId(new ClientId(client, client), seqNo);
  }

  static LogEntry entry(long index, IntentId intent) {
    return entry(index, intent, W, index);
  }

  static LogEntry entry(long index, IntentId intent, WorkerId origin, long timeNs) {
    return new LogEntry(
        index,
        new OpId(5, index),
        timeNs,
        intent,
        origin,
        "",
        new FsOp.Write(FsState.ROOT, WriteMode.APPEND, 100 * index, CHUNKS, false),
        LogEntry.NO_NODE,
        new Hash(6, 7, 8, index),
        new byte[0],
        new byte[0]);
  }

  /** What the ack of {@link #entry(long, IntentId)} says. */
  static Committed place(long index) {
    return new Committed(index, new OpId(5, index), index, new Hash(6, 7, 8, index), 100 * index);
  }

  /** The same log in every test: three clients take turns, but each only once in a while. */
  static LogEntry numbered(long index) {
    return entry(index, numberedIntent(index));
  }

  static IntentId numberedIntent(long index) {
    return intent(1 + index % 3, 1 + index / 3);
  }

  static IntentBatch batch(long first, long last) {
    List<CommittedIntent> intents = new ArrayList<>();
    for (long index = first; index <= last; index++) {
      intents.add(CommittedIntent.of(numbered(index)));
    }
    return new IntentBatch(intents);
  }
}
