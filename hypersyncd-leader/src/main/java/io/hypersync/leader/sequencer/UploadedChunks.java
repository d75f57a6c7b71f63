package io.hypersync.leader.sequencer;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.IntentId;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The chunks that workers have sent ahead of intents which are not decided: a collection must keep
 * them (hypersync.md 14.2). Used on the agent's thread only.
 *
 * <p>Chunks and intents travel on streams of their own. An intent that comes later says which
 * chunks its worker sends along, and the leader does not ask for those. If one were collected
 * before the intent comes, it would neither be here nor be asked for.
 *
 * <p>That is all that these pins are for. Whether a chunk is here is asked of the store when the
 * intent arrives, so one that is not here is never relied on. From then on the intent's own row in
 * the {@link IntentQueue} names the chunk, and from the turn in which it becomes an entry the state
 * or the log does. So what is pinned for an intent is released when that intent is decided. Another
 * intent that the same chunk was sent for has a pin of its own.
 *
 * <p>An intent may never come, because its worker has died or its number was given up. So a pin
 * ends after a while, and there is a most of them: beyond it the intent that has waited longest
 * loses its pins. An intent that comes after that waits until its worker asks about it.
 */
final class UploadedChunks {
  private final int maxChunks;
  private final long ttlNs;

  /** The intents whose chunks came first are at the front. */
  private final Map<IntentId, Upload> uploads = new LinkedHashMap<>();

  private int chunks;

  private static final class Upload {
    private final Set<Hash> hashes = new HashSet<>();
    private final long oldestNs;
    private long newestNs;

    Upload(long nowNs) {
      this.oldestNs = nowNs;
    }
  }

  /**
   * Starts with none.
   *
   * @param maxChunks how many are pinned at most, about 150 bytes of heap each
   * @param ttlNs how long those of an intent that does not come are pinned, in nanoseconds after
   *     the last one of them
   */
  UploadedChunks(int maxChunks, long ttlNs) {
    this.maxChunks = maxChunks;
    this.ttlNs = ttlNs;
  }

  /** A chunk is about to be stored for an intent that is not decided. */
  void add(IntentId intent, Hash chunk, long nowNs) {
    Upload upload = uploads.remove(intent);
    if (upload == null) {
      upload = new Upload(nowNs);
    }
    upload.newestNs = nowNs;
    chunks += upload.hashes.add(chunk) ? 1 : 0;
    uploads.put(intent, upload);
    Iterator<Upload> oldest = uploads.values().iterator();
    while (chunks > maxChunks && oldest.hasNext()) {
      chunks -= oldest.next().hashes.size();
      oldest.remove();
    }
  }

  /** The intent has become an entry or was refused for good: it relies on nothing any more. */
  void decided(IntentId intent) {
    Upload upload = uploads.remove(intent);
    if (upload != null) {
      chunks -= upload.hashes.size();
    }
  }

  /** How long the first chunk is pinned, in nanoseconds; negative if none is. */
  long waitingNs(long nowNs) {
    long longest = -1;
    for (Upload upload : uploads.values()) {
      if (nowNs - upload.newestNs < ttlNs) {
        longest = Math.max(longest, nowNs - upload.oldestNs);
      }
    }
    return longest;
  }

  /** Names the chunks of all intents that may still come. */
  void forEach(Consumer<Hash> chunk, long nowNs) {
    for (Upload upload : uploads.values()) {
      if (nowNs - upload.newestNs < ttlNs) {
        upload.hashes.forEach(chunk);
      }
    }
  }
}
