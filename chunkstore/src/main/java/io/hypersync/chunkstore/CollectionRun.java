package io.hypersync.chunkstore;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;

/**
 * One collection of dead chunks (hypersync.md 14.2): begin, mark what is alive, sweep until done,
 * finish.
 *
 * <pre>
 * try (CollectionRun run = store.beginCollection()) {
 *   // only now: determine what is reachable
 *   reachable.forEach(run::mark);
 *   while (!run.sweep(BUDGET).isDone()) {
 *     pause();
 *   }
 *   run.finish();
 * }
 * </pre>
 *
 * <p><b>What is kept.</b> A chunk is dead if it is neither marked nor protected. From {@link
 * ChunkStore#beginCollection} until the run ends the store protects every chunk that is put, and
 * every chunk of which it says that it is here: by {@link ChunkStore#length}, {@link
 * ChunkStore#contains}, {@link ChunkStore#get} or {@link ChunkStore#getVerified}. Calls that
 * overlap with {@code beginCollection}, and answers that a caller remembers from before it, are not
 * protected. So the caller determines what is reachable after it has begun, counts what is promised
 * but not yet in the state, and asks the store again where it would have relied on an older answer.
 *
 * <p><b>Crashes.</b> A crash or {@link #abort} at any point loses nothing that is kept. The next
 * run starts from the beginning; what was copied already costs it nothing.
 *
 * <p>{@link #mark} and {@link #progress} may be called from any thread, the other methods from one
 * thread at a time. After the end of the run all but {@link #progress}, {@link #abort} and {@link
 * #close} throw {@link IllegalStateException}.
 */
public interface CollectionRun extends AutoCloseable {
  /**
   * Marks a chunk as living, whether the store has it or not. Takes 11 to 21 bytes of heap, see
   * {@link KeptChunks}.
   *
   * @return whether it was not kept before, neither marked nor protected; for reports, because a
   *     chunk may rarely be taken for another one
   * @throws IllegalStateException if sweeping has begun
   */
  boolean mark(Hash hash);

  /**
   * What a sweep would do if it began now, without any change to the store. Reads the index once
   * without a pause. May be called before and between sweeps.
   *
   * @throws ChunkStoreException {@link Errno#EIO}
   */
  CollectionPlan plan();

  /**
   * Sweeps on, up to about this many bytes that are read, written or deleted from the index, and at
   * least one small step. After an exception the next call goes on where this one stopped.
   *
   * @param budgetBytes negative or 0 for a single step; a step copies up to 1 MiB or so
   * @return how far it is; call again unless it {@linkplain CollectionProgress#isDone is done}
   * @throws ChunkStoreException {@link Errno#ENOSPC} if there is no room to copy. By then all
   *     segments without a living chunk have been deleted; {@link Errno#EIO}
   */
  CollectionProgress sweep(long budgetBytes);

  /** How far the run is; never blocks. */
  CollectionProgress progress();

  /**
   * Ends a run that is done.
   *
   * @throws IllegalStateException if it is not
   */
  CollectionProgress finish();

  /** Ends the run at any point; has no effect if it has ended. */
  void abort();

  /** The same as {@link #abort}. */
  @Override
  default void close() {
    abort();
  }
}
