package io.hypersync.mutants;

import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.replica.IndexCallbacks;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Replacements for calls in mutants; called by changed bytecode only. */
public final class MutantReplacements {
  private MutantReplacements() {}

  /** Replaces {@code Math.max} by its first argument. */
  public static long first(long first, long second) {
    return first;
  }

  /** Replaces {@code Math.max} by itself, as a control. */
  public static long larger(long first, long second) {
    return Math.max(first, second);
  }

  /** Runs the action at once instead of when the index is reached. */
  public static void atOnce(IndexCallbacks waits, long index, Runnable action) {
    action.run();
  }

  /** Takes a number for one less when it is compared. */
  public static int oneMore(long number, long limit) {
    return Long.compare(number - 1, limit);
  }

  /** Sorts in the opposite order. */
  public static <T> void sortBackwards(List<T> list, Comparator<T> order) {
    list.sort(order.reversed());
  }

  /** The name of a segment that was published. */
  public static Path publishedSegment(Path log, long sequence) {
    return log.resolve(String.format("segment-%016x", sequence));
  }

  /** Returns the op unresolved, without offsets and lengths filled in. */
  public static FsOp unresolved(FsState state, FsOp op) {
    return op;
  }
}
