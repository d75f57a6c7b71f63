package io.hypersync.worker.intents;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.List;

/** Makes mutations, and those who wait for them. */
public final class Mutations {
  /** Has its answer already, and must not get another one. */
  public static final Completion ANSWERED =
      new Completion() {
        @Override
        public void committed(LogEntry entry, FsState state) {
          throw new AssertionError("told already");
        }

        @Override
        public void failed(Errno errno) {
          throw new AssertionError("told already");
        }
      };

  private static final int CALLER = 42;

  private Mutations() {}

  /** A mutation without bytes; all mutations made here have the same caller, and the times 0. */
  public static Mutation of(RequestId unique, FsOp op, Completion completion) {
    MutationTimestamps times = new MutationTimestamps(0, 0, 0);
    return new Mutation(
        unique, CALLER, "", CallContext.NONE, op, List.of(), List.of(), completion, 0, times);
  }

  /** Adds to {@code told}, after the prefix, {@code committed} or the name of the error. */
  public static Completion noting(List<String> told, String prefix) {
    return new Completion() {
      @Override
      public void committed(LogEntry entry, FsState state) {
        told.add(prefix + "committed");
      }

      @Override
      public void failed(Errno errno) {
        told.add(prefix + errno);
      }
    };
  }
}
