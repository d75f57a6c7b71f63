package io.hypersync.chunkstore;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a store must keep during a collection (hypersync.md 14.2), for implementations of {@link
 * ChunkStore}: the chunks that were marked as live, and those that were put or promised since the
 * collection began. Each chunk is kept or condemned, never both, and this class decides which
 * atomically: a chunk that is promised to a caller is not condemned any more, and a condemned one
 * is not promised.
 *
 * <p>Only the first 8 bytes and 6 more bits of each hash are remembered, in 11 to 21 bytes of heap:
 * 11 to 21 MB per million kept chunks. A dead chunk whose bits equal those of a kept one is kept,
 * too: with a million kept chunks fewer than one dead chunk in 10^15. No live chunk is ever taken
 * for a dead one.
 *
 * <p>A store looks a chunk up as follows, so that it never promises what is being removed:
 *
 * <ol>
 *   <li>read {@link #removals}, then find the chunk's place;
 *   <li>{@link #promise} it; if that is refused, the chunk is not here;
 *   <li>if {@link #removals} has changed, start again.
 * </ol>
 *
 * <p>It removes chunks as follows: {@link #condemn} them, remove the places of those for which that
 * was accepted, and then call {@link #removed}. Thread-safe.
 */
public final class KeptChunks {
  private static final int STRIPES = 64;

  private final Stripe[] stripes =
      Stream.generate(Stripe::new).limit(STRIPES).toArray(Stripe[]::new);
  private final AtomicBoolean running = new AtomicBoolean();

  /** Number of condemned chunks that are not removed yet. */
  private final AtomicLong condemned = new AtomicLong();

  private final AtomicLong removals = new AtomicLong();

  /** The chunks whose hash ends with the same 6 bits; guarded by itself. */
  private static final class Stripe {
    /** Null if no collection is running. */
    private @Nullable FingerprintSet kept;

    private final Set<Hash> condemned = new HashSet<>();

    boolean keep(Hash hash) {
      return kept != null && kept.add(fingerprint(hash));
    }
  }

  public KeptChunks() {}

  /**
   * Begins a collection: nothing is kept yet. What happened before this call is not protected.
   *
   * @throws ChunkStoreException {@link Errno#EBUSY} if one is running
   */
  public void begin() {
    if (!running.compareAndSet(false, true)) {
      throw new ChunkStoreException(
          Errno.EBUSY, "a collection of this chunk store is running already");
    }
    for (Stripe stripe : stripes) {
      synchronized (stripe) {
        stripe.kept = new FingerprintSet();
      }
    }
  }

  /** Ends the collection and forgets what is kept. What is condemned stays so until removed. */
  public void end() {
    for (Stripe stripe : stripes) {
      synchronized (stripe) {
        stripe.kept = null;
      }
    }
    running.set(false);
  }

  /** Whether lookups have to ask here: a collection is running, or chunks are condemned. */
  public boolean isActive() {
    return running.get() || condemned.get() > 0;
  }

  /**
   * Keeps a chunk that is marked as live. A chunk that an earlier collection has condemned, and
   * could not remove for sure, stays condemned: callers have been told that it is not here.
   *
   * @return whether it was not kept before
   */
  public boolean mark(Hash hash) {
    Stripe stripe = stripe(hash);
    synchronized (stripe) {
      return stripe.keep(hash);
    }
  }

  /**
   * Keeps a chunk that has been stored just now. Call it once lookups find the new copy: the chunk
   * is not condemned any more.
   */
  public void stored(Hash hash) {
    Stripe stripe = stripe(hash);
    synchronized (stripe) {
      if (stripe.condemned.remove(hash)) {
        condemned.decrementAndGet();
      }
      var _ = stripe.keep(hash);
    }
  }

  /** Whether the chunk is kept so far. */
  public boolean isKept(Hash hash) {
    Stripe stripe = stripe(hash);
    synchronized (stripe) {
      return stripe.kept != null && stripe.kept.contains(fingerprint(hash));
    }
  }

  /**
   * Keeps a chunk because a caller is told that it is here.
   *
   * @return false if it is condemned: the caller must be told that it is not here
   */
  public boolean promise(Hash hash) {
    Stripe stripe = stripe(hash);
    synchronized (stripe) {
      if (stripe.condemned.contains(hash)) {
        return false;
      }
      var _ = stripe.keep(hash);
      return true;
    }
  }

  /**
   * Condemns a chunk unless it is kept.
   *
   * @return whether the chunk is condemned now and may be removed
   */
  public boolean condemn(Hash hash) {
    Stripe stripe = stripe(hash);
    synchronized (stripe) {
      if (stripe.condemned.contains(hash)) {
        return true;
      }
      if (stripe.kept == null || stripe.kept.contains(fingerprint(hash))) {
        return false;
      }
      stripe.condemned.add(hash);
      condemned.incrementAndGet();
      removals.incrementAndGet();
      return true;
    }
  }

  /** The places of condemned chunks have been removed, so that no lookup finds them any more. */
  public void removed(Collection<Hash> hashes) {
    removals.incrementAndGet();
    for (Hash hash : hashes) {
      Stripe stripe = stripe(hash);
      synchronized (stripe) {
        if (stripe.condemned.remove(hash)) {
          condemned.decrementAndGet();
        }
      }
    }
  }

  /** Changes whenever a chunk is condemned, and before {@link #removed} releases any. */
  public long removals() {
    return removals.get();
  }

  /** The number of kept chunks. */
  public long count() {
    return Arrays.stream(stripes)
        .mapToLong(
            stripe -> {
              synchronized (stripe) {
                return stripe.kept == null ? 0 : stripe.kept.size();
              }
            })
        .sum();
  }

  private Stripe stripe(Hash hash) {
    return stripes[(int) hash.w3() & (STRIPES - 1)];
  }

  private static long fingerprint(Hash hash) {
    return hash.w0();
  }
}
