package io.hypersync.cli.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.ThreadMXBean;
import io.hypersync.cli.render.Quantities;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of this Java machine, if its collector is G1 and collects concurrently when asked to:
 * any other would stop everybody for as long as it takes.
 */
final class JvmMemory implements ProcessMemory {
  private static final Logger LOG = LoggerFactory.getLogger(JvmMemory.class);
  private static final String CONCURRENT = "ExplicitGCInvokesConcurrent";
  private static final String LEAST_FREE = "MinHeapFreeRatio";
  private static final String MOST_FREE = "MaxHeapFreeRatio";

  /** Percent of the heap that are left free: G1 needs some regions to go on with. */
  private static final int IDLE_LEAST_FREE = 5;

  private static final int IDLE_MOST_FREE = 10;
  private static final int PERCENT = 100;

  /** One that prepares for it, and as many as G1 spreads the regions over that are worth it. */
  private static final int COMPACTING_COLLECTIONS = 9;

  private static final int EDENS_OF_A_HEAP = 3;

  /** Smaller than what G1 takes a region of its own for. */
  private static final int PIECE_BYTES = 1 << 16;

  private final HotSpotDiagnosticMXBean options;
  private final ThreadMXBean threads;
  private final GarbageCollectorMXBean young;
  private final MemoryPoolMXBean eden;
  private final MemoryPoolMXBean old;
  private final String leastFree;
  private final String mostFree;

  @SuppressWarnings("UnusedVariable") // so that nobody can tell that what it holds is not needed
  private volatile byte @Nullable [] piece;

  private JvmMemory(
      HotSpotDiagnosticMXBean options,
      ThreadMXBean threads,
      GarbageCollectorMXBean young,
      MemoryPoolMXBean eden,
      MemoryPoolMXBean old) {
    this.options = options;
    this.threads = threads;
    this.young = young;
    this.eden = eden;
    this.old = old;
    this.leastFree = options.getVMOption(LEAST_FREE).getValue();
    this.mostFree = options.getVMOption(MOST_FREE).getValue();
  }

  /** The memory of this process, or empty if it has none to give back without a long stop. */
  static Optional<JvmMemory> ofThisProcess() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    if (options == null
        || threads == null
        || !Boolean.parseBoolean(options.getVMOption(CONCURRENT).getValue())
        || Integer.parseInt(options.getVMOption(MOST_FREE).getValue()) <= IDLE_MOST_FREE) {
      return Optional.empty();
    }
    List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans();
    return named(
            ManagementFactory.getGarbageCollectorMXBeans(),
            GarbageCollectorMXBean::getName,
            "G1 Young Generation")
        .flatMap(
            young ->
                named(pools, MemoryPoolMXBean::getName, "G1 Eden Space")
                    .flatMap(
                        eden ->
                            named(pools, MemoryPoolMXBean::getName, "G1 Old Gen")
                                .map(old -> new JvmMemory(options, threads, young, eden, old))));
  }

  private static <T> Optional<T> named(List<T> beans, Function<T, String> nameOf, String name) {
    return beans.stream().filter(bean -> nameOf.apply(bean).equals(name)).findAny();
  }

  @Override
  public long allocatedBytes() {
    return threads.getTotalThreadAllocatedBytes() - threads.getCurrentThreadAllocatedBytes();
  }

  /**
   * {@inheritDoc}
   *
   * <p>What is in the eden is garbage by now: nobody has worked for a while. The heap never gets
   * smaller than it was at the start.
   */
  @Override
  public long roomBytes() {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    long used = heap.getUsed() - eden.getUsage().getUsed();
    long kept = used * PERCENT / (PERCENT - IDLE_MOST_FREE);
    return heap.getCommitted() - Math.max(kept, heap.getInit());
  }

  /** What the heap has of the system. */
  static long committedBytes() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
  }

  /**
   * {@inheritDoc}
   *
   * <p>G1 gives regions back where a marking ends, as far as two options say. They stay so until
   * {@link #takeRoom}: heartbeats make garbage, too, and the marking that it brings about would
   * take the room again.
   */
  @Override
  @SuppressWarnings("CallToSystemGC") // it is how a marking is asked for
  public void giveBack(BooleanSupplier atWork) {
    long before = committedBytes();
    boolean given = false;
    try {
      // The first must never be larger than the second.
      options.setVMOption(LEAST_FREE, Integer.toString(IDLE_LEAST_FREE));
      options.setVMOption(MOST_FREE, Integer.toString(IDLE_MOST_FREE));
      System.gc();
      compact(atWork);
      if (!atWork.getAsBoolean()) {
        System.gc();
      }
      trimNative();
      given = true;
    } finally {
      if (!given) {
        takeRoom();
      }
    }
    LOG.info(
        "idle, memory given back: the heap has {} instead of {}",
        Quantities.bytes(committedBytes()),
        Quantities.bytes(before));
  }

  @Override
  public void takeRoom() {
    options.setVMOption(MOST_FREE, mostFree);
    options.setVMOption(LEAST_FREE, leastFree);
    LOG.debug("at work, the heap takes room again");
  }

  /**
   * Has what is left in half empty regions moved together. G1 does that after a marking, in young
   * collections, a few regions at a time so that none takes long; an idle process would take many
   * minutes to have them.
   */
  private void compact(BooleanSupplier atWork) {
    long usedBefore = old.getUsage().getUsed();
    int inVain = 0;
    for (int i = 0;
        i < COMPACTING_COLLECTIONS && inVain < 2 && !atWork.getAsBoolean() && collectYoung();
        i++) {
      long used = old.getUsage().getUsed();
      // The first one only prepares.
      inVain = used < usedBefore ? 0 : inVain + 1;
      usedBefore = used;
    }
  }

  /**
   * Allocates until the eden is full.
   *
   * @return whether it was, soon: while G1 moves regions it keeps the eden small
   */
  private boolean collectYoung() {
    long before = young.getCollectionCount();
    long left = committedBytes() / EDENS_OF_A_HEAP;
    while (left > 0 && young.getCollectionCount() == before) {
      piece = new byte[PIECE_BYTES];
      left -= PIECE_BYTES;
    }
    piece = null;
    return left > 0;
  }

  /** What malloc holds for nobody. */
  private static void trimNative() {
    try {
      ManagementFactory.getPlatformMBeanServer()
          .invoke(
              new ObjectName("com.sun.management:type=DiagnosticCommand"),
              "systemTrimNativeHeap",
              new Object[0],
              new String[0]);
    } catch (JMException notHere) {
      LOG.debug("what malloc holds stays with it", notHere);
    }
  }
}
