package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A filesystem of a few names, which counts what is held. Other requests are answered as said. */
final class ScriptedHandler implements FuseHandler {
  private final Map<String, Long> names = new HashMap<>();
  private final Map<Long, Integer> held = new TreeMap<>();
  private final Deque<Errno> refusals = new ArrayDeque<>();
  private long nextHandle = 100;

  /** All requests but lookups and forgets. */
  final CopyOnWriteArrayList<FuseRequest> requests = new CopyOnWriteArrayList<>();

  /** Replies of locks that wait. */
  final CopyOnWriteArrayList<FuseReply> waiting = new CopyOnWriteArrayList<>();

  /** Requests that were interrupted. */
  final CopyOnWriteArrayList<RequestId> interrupted = new CopyOnWriteArrayList<>();

  /** Adds a name to a directory. */
  ScriptedHandler with(long directory, String name, long node) {
    names.put(directory + "/" + name, node);
    return this;
  }

  /** Answers the next open with this error, and the one after with the next. */
  void refuseOpens(Errno... errnos) {
    refusals.addAll(java.util.List.of(errnos));
  }

  /** How often each node is held; those that are not are left out. */
  synchronized Map<Long, Integer> held() {
    return new TreeMap<>(held);
  }

  @Override
  public synchronized void handle(FuseRequest request, FuseReply reply) {
    long node = request.header().nodeId().value();
    switch (request.operation()) {
      case FuseOperation.Lookup lookup -> {
        Long found = names.get(node + "/" + new String(lookup.name(), StandardCharsets.UTF_8));
        if (found == null) {
          reply.error(Errno.ENOENT);
        } else {
          reply.entry(entry(found));
        }
      }
      case FuseOperation.Forget forget -> {
        held.computeIfPresent(
            node, (_, count) -> count > forget.lookups() ? count - (int) forget.lookups() : null);
        reply.noReply();
      }
      case FuseOperation.Open _ -> {
        requests.add(request);
        Errno refusal = refusals.poll();
        if (refusal == null) {
          reply.open(new FileHandle(nextHandle++), 0);
        } else {
          reply.error(refusal);
        }
      }
      case FuseOperation.MkDir _ -> {
        requests.add(request);
        reply.entry(entry(50));
      }
      case FuseOperation.Create _ -> {
        requests.add(request);
        reply.create(entry(60), new FileHandle(nextHandle++), 0);
      }
      case FuseOperation.Write write -> {
        requests.add(request);
        reply.write(write.data().length);
      }
      case FuseOperation.SetLk lock when lock.waiting() -> waiting.add(reply);
      case FuseOperation.Fsync _ -> throw new IllegalStateException("a fault");
      default -> {
        requests.add(request);
        reply.ok();
      }
    }
  }

  private FuseEntry entry(long node) {
    held.merge(node, 1, Integer::sum);
    InodeNo ino = new InodeNo(node);
    FuseAttr attr = new FuseAttr(ino, 7, 1, 0, 0, 0, 0100644, 1, 0, 0, 0, 4096);
    return new FuseEntry(ino, 0, attr, 0, 0);
  }

  @Override
  public void interrupted(RequestId unique, int pid) {
    interrupted.add(unique);
    waiting.forEach(
        reply -> {
          if (reply.unique().equals(unique)) {
            reply.error(Errno.EINTR);
          }
        });
  }
}
