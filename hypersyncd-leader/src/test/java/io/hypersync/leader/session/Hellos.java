package io.hypersync.leader.session;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.WorkerMessage.Hello;
import java.util.OptionalLong;

/** The first messages of workers. */
public final class Hellos {
  private Hellos() {}

  /** Of a worker that has neither applied an entry nor seen a leader. */
  public static Hello ofNew(WorkspaceId workspace, WorkerId worker, ClientId run) {
    return of(workspace, worker, run, 0, FsState.genesis().root());
  }

  /** Of a worker that has never seen a leader, whose state has this index and root. */
  public static Hello of(
      WorkspaceId workspace, WorkerId worker, ClientId run, long applied, Hash root) {
    return new Hello(workspace, worker, OptionalLong.empty(), applied, root, run);
  }
}
