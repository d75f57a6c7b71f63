package io.hypersync.worker.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.lock.OwnerLocks;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * flock and fcntl locks of local files: no other host has these files, so none has to know. As on a
 * disk, except that two processes that wait for each other are not told so (EDEADLK).
 *
 * <p>Thread-safe. Answers are given after the table's own lock has been released.
 */
public final class LocalLocks {
  /** Ranges of one owner on one file; each call looks at all of them. */
  static final int MAX_RANGES = 4_096;

  /** Owners with locks on one file. */
  static final int MAX_OWNERS = 16_384;

  private final Map<Key, File> files = new HashMap<>();
  private final Set<RequestId> waiting = new HashSet<>();

  private record Key(InodeNo node, LockSpace space) {}

  /**
   * A call that asks for a lock.
   *
   * @param unique the request's number
   * @param pid of its process, as others are told it
   * @param handle the handle that it is made through
   * @param mode null to unlock
   * @param waits whether it waits for the lock
   */
  public record Call(
      RequestId unique,
      InodeNo node,
      LockSpace space,
      FuseLockOwner owner,
      int pid,
      FileHandle handle,
      LockRange range,
      @Nullable LockMode mode,
      boolean waits,
      Answer answer) {}

  /** How a call ends. */
  public interface Answer {
    /** The lock was taken, or released. */
    void granted();

    /** EAGAIN if another owner has it, EINTR after a signal, ENOLCK if there are too many. */
    void failed(Errno errno);
  }

  /**
   * A lock that is in the way.
   *
   * @param pid of the process that has it
   */
  public record Conflict(HeldLock lock, int pid) {}

  private static final class Owner {
    private final OwnerLocks locks = new OwnerLocks();
    private final Set<FileHandle> handles = new HashSet<>();
    private int pid;
  }

  private static final class File {
    private final Map<FuseLockOwner, Owner> owners = new LinkedHashMap<>();
    private final List<Call> queue = new ArrayList<>();

    @Nullable Conflict conflict(FuseLockOwner except, LockRange range, LockMode mode) {
      for (Map.Entry<FuseLockOwner, Owner> each : owners.entrySet()) {
        HeldLock lock =
            each.getKey().equals(except) ? null : each.getValue().locks.conflict(range, mode);
        if (lock != null) {
          return new Conflict(lock, each.getValue().pid);
        }
      }
      return null;
    }

    void set(Call call) {
      Owner owner = owners.computeIfAbsent(call.owner, _ -> new Owner());
      owner.locks.set(call.range, call.mode);
      owner.handles.add(call.handle);
      owner.pid = call.pid;
      if (owner.locks.isEmpty()) {
        owners.remove(call.owner);
      }
    }

    /** Unlocking the middle of a range makes two of it, so it needs room as well. */
    boolean hasRoom(Call call) {
      Owner owner = owners.get(call.owner);
      return owner == null
          ? call.mode == null || owners.size() < MAX_OWNERS
          : owner.locks.pieces().size() < MAX_RANGES || call.range.equals(LockRange.WHOLE);
    }
  }

  /** Takes or releases a lock; answers now, or when the lock is free. */
  public void set(Call call) {
    List<Runnable> answers = new ArrayList<>();
    synchronized (this) {
      File file = files.computeIfAbsent(new Key(call.node, call.space), _ -> new File());
      if (!file.hasRoom(call)) {
        answers.add(() -> call.answer.failed(Errno.ENOLCK));
      } else if (call.mode == null || file.conflict(call.owner, call.range, call.mode) == null) {
        file.set(call);
        answers.add(call.answer::granted);
        grant(file, answers); // something was given up, or has become a shared lock
      } else {
        refuse(file, call, answers);
      }
      dropIfIdle(new Key(call.node, call.space), file);
    }
    answers.forEach(Runnable::run);
  }

  /** Another owner has it. */
  private void refuse(File file, Call call, List<Runnable> answers) {
    if (call.space == LockSpace.FLOCK && file.owners.remove(call.owner) != null) {
      grant(file, answers); // flock(2): what is converted is given up first
    }
    if (call.waits) {
      waiting.add(call.unique);
      file.queue.add(call);
    } else {
      answers.add(() -> call.answer.failed(Errno.EAGAIN));
    }
  }

  /** The first lock that is in the way of one; null if there is none. */
  public synchronized @Nullable Conflict test(
      InodeNo node, FuseLockOwner owner, LockRange range, LockMode mode) {
    File file = files.get(new Key(node, LockSpace.POSIX));
    return file == null ? null : file.conflict(owner, range, mode);
  }

  /** Whether anybody has a lock on the file, of either kind. */
  public synchronized boolean holdsAny(InodeNo node) {
    for (LockSpace space : LockSpace.values()) {
      File file = files.get(new Key(node, space));
      if (file != null && !file.owners.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** A descriptor was closed: an owner's fcntl locks on the file end. */
  public void closed(InodeNo node, FuseLockOwner owner) {
    release(new Key(node, LockSpace.POSIX), file -> file.owners.remove(owner) != null);
  }

  /** An open file has ended, and with it the locks that were taken through it alone. */
  public void released(InodeNo node, FileHandle handle) {
    for (LockSpace space : LockSpace.values()) {
      release(
          new Key(node, space),
          file -> file.owners.values().removeIf(owner -> owner.handles.contains(handle)));
    }
  }

  /** Takes locks away; says whether there were any. */
  @FunctionalInterface
  private interface Release {
    boolean from(File file);
  }

  private void release(Key key, Release release) {
    List<Runnable> answers = new ArrayList<>();
    synchronized (this) {
      File file = files.get(key);
      if (file != null && release.from(file)) {
        grant(file, answers);
        dropIfIdle(key, file);
      }
    }
    answers.forEach(Runnable::run);
  }

  /** The caller of a request has received a signal; a call that waits ends with EINTR. */
  public void interrupted(RequestId unique) {
    List<Runnable> answers = new ArrayList<>();
    synchronized (this) {
      if (!waiting.remove(unique)) {
        return;
      }
      Iterator<Map.Entry<Key, File>> all = files.entrySet().iterator();
      while (all.hasNext()) {
        File file = all.next().getValue();
        for (Call call : List.copyOf(file.queue)) {
          if (call.unique.equals(unique)) {
            file.queue.remove(call);
            answers.add(() -> call.answer.failed(Errno.EINTR));
          }
        }
        if (file.owners.isEmpty() && file.queue.isEmpty()) {
          all.remove();
        }
      }
    }
    answers.forEach(Runnable::run);
  }

  /** Grants what can be granted, in the order of arrival. */
  private void grant(File file, List<Runnable> answers) {
    for (Call call : List.copyOf(file.queue)) {
      LockMode mode = call.mode;
      if (mode != null && file.conflict(call.owner, call.range, mode) == null) {
        file.queue.remove(call);
        waiting.remove(call.unique);
        file.set(call);
        answers.add(call.answer::granted);
      }
    }
  }

  private void dropIfIdle(Key key, File file) {
    if (file.owners.isEmpty() && file.queue.isEmpty()) {
      files.remove(key);
    }
  }
}
