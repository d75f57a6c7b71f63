package io.hypersync.leader.daemon;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * What a session still gets on its bulk stream. What it has asked for goes first: a reader may wait
 * for that, and of what is sent unasked nobody knows.
 *
 * <p>A worker that asks without end holds up only what is sent to it unasked. An entry that waits
 * for that asks for it in the end ({@code worker.dataplane.ExpectedChunks}), and then it is among
 * what was asked for, in the order of the questions. And while the stream is full nothing more is
 * sent unasked ({@code leader.dataplane.WorkerPushes}).
 *
 * <p>Not bounded by itself: {@link LeaderChunks} bounds what is asked for, and {@code WorkerPushes}
 * what is sent unasked. Single-threaded.
 */
final class DownloadQueue {
  private final ArrayDeque<ChunkRef> asked = new ArrayDeque<>();

  /** In the order in which they were sent; none of them is among {@link #asked}. */
  private final SequencedMap<Hash, ChunkRef> unasked = new LinkedHashMap<>();

  /** How many of those wait that were asked for. */
  int asked() {
    return asked.size();
  }

  boolean isEmpty() {
    return asked.isEmpty() && unasked.isEmpty();
  }

  /** The session asks for chunks; those of them that wait unasked go with these, once. */
  void ask(List<ChunkRef> chunks) {
    asked.addAll(chunks);
    chunks.forEach(chunk -> unasked.remove(chunk.hash()));
  }

  /** Chunks that nobody has asked for. */
  void push(List<ChunkRef> chunks) {
    chunks.forEach(chunk -> unasked.putIfAbsent(chunk.hash(), chunk));
  }

  /** Takes out the next ones, at most so many. */
  List<ChunkRef> next(int most) {
    List<ChunkRef> next = new ArrayList<>();
    while (next.size() < most && !isEmpty()) {
      next.add(asked.isEmpty() ? unasked.pollFirstEntry().getValue() : asked.removeFirst());
    }
    return next;
  }
}
