package io.hypersync.worker.replica;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Readers that wait for a chunk which the local store has had and cannot read any more. The leader
 * is asked for it once for all of them. There are at most as many as calls under way, and each
 * waits for a bounded time. Single-threaded.
 */
public final class ChunkRepairs {
  private final long patienceNs;

  /** Longest wait first. */
  private final Map<Hash, Repair> waiting = new LinkedHashMap<>();

  private long repaired;

  private record Repair(long sinceNs, List<Reader> readers) {}

  private record Reader(Runnable ready, Consumer<Errno> failed) {}

  /**
   * No reader waits yet.
   *
   * @param patienceNs longest wait for the leader, in nanoseconds
   */
  public ChunkRepairs(long patienceNs) {
    this.patienceNs = patienceNs;
  }

  /**
   * A reader needs this chunk; exactly one of the two callbacks runs, once.
   *
   * @param ready run when the chunk is stored again
   * @param failed run with the errno if it cannot be had
   * @return whether the caller must request it from the leader
   */
  public boolean add(Hash chunk, Runnable ready, Consumer<Errno> failed, long nowNs) {
    Repair repair = waiting.get(chunk);
    if (repair != null) {
      repair.readers.add(new Reader(ready, failed));
      return false;
    }
    Repair fresh = new Repair(nowNs, new ArrayList<>());
    fresh.readers.add(new Reader(ready, failed));
    waiting.put(chunk, fresh);
    return true;
  }

  /**
   * A reader needs these chunks; exactly one of the two callbacks runs, once.
   *
   * @param chunks different ones
   * @param ready run when all are stored
   * @param failed run with the errno if one cannot be had
   * @param request is given those that must be requested from the leader
   */
  public void add(
      List<ChunkRef> chunks,
      Runnable ready,
      Consumer<Errno> failed,
      long nowNs,
      Consumer<List<ChunkRef>> request) {
    Several several = new Several(chunks.size(), ready, failed);
    List<ChunkRef> missing = new ArrayList<>();
    for (ChunkRef chunk : chunks) {
      if (add(chunk.hash(), several::ready, several::failed, nowNs)) {
        missing.add(chunk);
      }
    }
    request.accept(missing);
  }

  /** A reader that waits for several chunks. */
  private static final class Several {
    private int missing;
    private final Runnable ready;
    private final Consumer<Errno> failed;

    Several(int chunks, Runnable ready, Consumer<Errno> failed) {
      this.missing = chunks;
      this.ready = ready;
      this.failed = failed;
    }

    void ready() {
      if (missing > 0 && --missing == 0) {
        ready.run();
      }
    }

    void failed(Errno errno) {
      if (missing > 0) {
        missing = 0; // it is told once
        failed.accept(errno);
      }
    }
  }

  /** Whether a reader waits for this chunk. */
  public boolean isWaitingFor(Hash chunk) {
    return waiting.containsKey(chunk);
  }

  /** The chunk is stored and verified. */
  public void stored(Hash chunk) {
    Repair repair = waiting.remove(chunk);
    if (repair != null) {
      repaired++;
      repair.readers.forEach(reader -> reader.ready.run());
    }
  }

  /** The chunk cannot be had: fails its readers with this errno. */
  public void failed(Hash chunk, Errno errno) {
    Repair repair = waiting.remove(chunk);
    if (repair != null) {
      repair.readers.forEach(reader -> reader.failed.accept(errno));
    }
  }

  /** The leader is unreachable: fails all readers with EIO (hypersync.md 6.4). */
  public void leaderLost() {
    List.copyOf(waiting.keySet()).forEach(chunk -> failed(chunk, Errno.EIO));
  }

  /** Fails with EIO the readers that have waited for too long. */
  public void expire(long nowNs) {
    List<Repair> late = new ArrayList<>();
    for (Iterator<Repair> each = waiting.values().iterator(); each.hasNext(); ) {
      Repair repair = each.next();
      if (nowNs - repair.sinceNs < patienceNs) {
        break;
      }
      late.add(repair);
      each.remove();
    }
    late.forEach(repair -> repair.readers.forEach(reader -> reader.failed.accept(Errno.EIO)));
  }

  /** How many chunks were repaired since the start. */
  public long repaired() {
    return repaired;
  }
}
