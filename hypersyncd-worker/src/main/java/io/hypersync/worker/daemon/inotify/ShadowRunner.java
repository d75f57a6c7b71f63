package io.hypersync.worker.daemon.inotify;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.session.FuseNotifier;
import io.hypersync.worker.inotify.MountPoints;
import io.hypersync.worker.inotify.NameInDirectory;
import io.hypersync.worker.inotify.ShadowCall;
import io.hypersync.worker.inotify.ShadowCallRegistry;
import io.hypersync.worker.inotify.ShadowJob;
import io.hypersync.worker.vfs.KernelInodes;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has one shadow call made: the kernel drops the names involved, asks for them again, gets answers
 * for this call, and drops those afterwards. This may wait for local calls that change the same
 * directories, so nothing may wait for the thread that runs it.
 *
 * <p>A name on which something is mounted, or below which, is not dropped: the kernel would detach
 * what is mounted, and that is worth more than the event.
 */
final class ShadowRunner {
  private static final int TRIES = 4;

  private final ShadowCallRegistry registry;
  private final KernelInodes inodes;
  private final FuseNotifier kernel;
  private final Supplier<View> view;
  private final MountPoints mounts;

  ShadowRunner(
      ShadowCallRegistry registry,
      KernelInodes inodes,
      FuseNotifier kernel,
      Supplier<View> view,
      MountPoints mounts) {
    this.registry = registry;
    this.inodes = inodes;
    this.kernel = kernel;
    this.view = view;
    this.mounts = mounts;
  }

  /**
   * Makes the call, with up to four tries.
   *
   * @return whether the kernel has reported the event
   * @throws IOException if the process has ended, or the kernel refuses an invalidation
   */
  boolean run(ShadowProcess process, ShadowJob job) throws IOException {
    Set<NameInDirectory> places = new HashSet<>(job.call().places());
    Set<NameInDirectory> dropped = new HashSet<>();
    boolean done = false;
    try {
      for (int attempt = 0; attempt < TRIES && !done; attempt++) {
        // Touch needs no fresh look-up as long as the cached name leads to the right node.
        if (attempt > 0 || !(job.call() instanceof ShadowCall.Touch)) {
          if (places.stream()
              .anyMatch(place -> mounts.areAtOrBelow(place, job.before(), job.after()))) {
            break;
          }
          inodes.shadow(places);
          for (NameInDirectory place : places) {
            if (attempt > 0 || inodes.mayHave(place)) {
              drop(place);
              dropped.add(place);
            }
          }
        }
        registry.begin(job);
        int result = process.call(job.call());
        done = registry.end() && result == 0;
        if (result == -Errno.ESTALE.code() && !done && !isReachable(job)) {
          break;
        }
      }
      Set<NameInDirectory> left = done ? leftBehind(job.call()) : places;
      for (NameInDirectory place : left) {
        // A name with a mount leads to no stand-in any more: nobody else finds one.
        if (!mounts.areAtOrBelow(place, job.before(), job.after())) {
          drop(place);
          dropped.add(place);
        }
      }
    } finally {
      inodes.shadow(Set.of());
    }
    for (NameInDirectory place : dropped) {
      if (isKnownDirectory(place)) {
        registry.begin(new ShadowJob(new ShadowCall.Look(place), job.before(), job.after()));
        var _ = process.call(new ShadowCall.Look(place));
        var _ = registry.end();
      }
    }
    return done;
  }

  /**
   * Whether the kernel still knows the call's nodes; it may have dropped them once their watches
   * ended.
   */
  private boolean isReachable(ShadowJob job) {
    if (job.call() instanceof ShadowCall.Touch touch && touch.place() == null) {
      return inodes.isKnown(touch.node().inode());
    }
    return job.call().places().stream()
        .allMatch(place -> !place.isReal() || inodes.isKnown(place.directory()));
  }

  private void drop(NameInDirectory place) throws IOException {
    var _ = kernel.invalidateEntry(place.directory(), place.name().bytes());
  }

  /** Names that now lead to stand-ins, to nothing, or to where they led at that entry. */
  private Set<NameInDirectory> leftBehind(ShadowCall call) {
    return switch (call) {
      case ShadowCall.Make make -> Set.of(make.place());
      case ShadowCall.Remove remove -> Set.of(remove.place());
      case ShadowCall.Move move ->
          move.exchange() ? Set.of(move.from(), move.to()) : Set.of(move.to());
      case ShadowCall.Touch touch -> {
        NameInDirectory place = touch.place();
        Node now = place == null ? null : find(place);
        boolean right = place == null || (now != null && now.id().equals(touch.node().id()));
        yield right || place == null ? Set.of() : Set.of(place);
      }
      case ShadowCall.Look _ -> Set.of();
    };
  }

  /**
   * A directory that lost its name in the kernel's cache has also lost its place in the tree: a
   * process in it could not find its working directory until the name is looked up again.
   */
  private boolean isKnownDirectory(NameInDirectory place) {
    Node now = find(place);
    return now != null && now.type() == NodeType.DIRECTORY && inodes.isKnown(now.inode());
  }

  private @Nullable Node find(NameInDirectory place) {
    FsState state = view.get().state();
    NodeId id = place.isReal() ? inodes.node(place.directory()) : null;
    Node directory = id == null ? null : state.node(id);
    return directory == null ? null : state.lookup(directory, place.name());
  }
}
