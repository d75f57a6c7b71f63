package io.hypersync.worker.replica;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Readers who wait for a chunk that was here and cannot be read any more: the leader is asked for
 * it, once for all of them. As many as there are calls under way; each waits for a bounded time.
 * Single-threaded.
 */
public final class ChunkRepairs {
  private final long patienceNs;

  /** The longest waiting one first. */
  private final Map<Hash, Repair> waiting = new LinkedHashMap<>();

  private long repaired;

  private record Repair(long sinceNs, List<Reader> readers) {}

  private record Reader(Runnable ready, Consumer<Errno> failed) {}

  /**
   * Nobody waits.
   *
   * @param patienceNs how long the leader may take, nanoseconds
   */
  public ChunkRepairs(long patienceNs) {
    this.patienceNs = patienceNs;
  }

  /**
   * Somebody needs the chunk.
   *
   * @param ready run when it is here again
   * @param failed told why it cannot be had
   * @return whether the leader has to be asked for it
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

  /** The chunk is verified and stored. */
  public void stored(Hash chunk) {
    Repair repair = waiting.remove(chunk);
    if (repair != null) {
      repaired++;
      repair.readers.forEach(reader -> reader.ready.run());
    }
  }

  /** The chunk cannot be had. */
  public void failed(Hash chunk, Errno errno) {
    Repair repair = waiting.remove(chunk);
    if (repair != null) {
      repair.readers.forEach(reader -> reader.failed.accept(errno));
    }
  }

  /** The leader is out of touch: nobody waits for it (hypersync.md 6.4). */
  public void leaderLost() {
    List.copyOf(waiting.keySet()).forEach(chunk -> failed(chunk, Errno.EIO));
  }

  /** Ends the waits that have taken too long. */
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

  /** How many chunks were repaired since the start, for reports. */
  public long repaired() {
    return repaired;
  }
}
