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
 * The heap of this JVM, if the collector is G1 and explicit collections are concurrent. With any
 * other collector an explicit collection would stop all threads for as long as it takes.
 */
final class JvmMemory implements ProcessMemory {
  private static final Logger LOG = LoggerFactory.getLogger(JvmMemory.class);
  private static final String CONCURRENT = "ExplicitGCInvokesConcurrent";
  private static final String LEAST_FREE = "MinHeapFreeRatio";
  private static final String MOST_FREE = "MaxHeapFreeRatio";

  /** Percent of the heap that stay free while idle: G1 needs some free regions to work. */
  private static final int IDLE_LEAST_FREE = 5;

  private static final int IDLE_MOST_FREE = 10;
  private static final int PERCENT = 100;

  /**
   * At most one young collection that prepares, and as many mixed ones as G1 spreads the worthwhile
   * regions over.
   */
  private static final int COMPACTING_COLLECTIONS = 9;

  private static final int EDENS_OF_A_HEAP = 3;

  /** Small enough that G1 does not allocate it as a humongous object. */
  private static final int PIECE_BYTES = 1 << 16;

  private final HotSpotDiagnosticMXBean options;
  private final ThreadMXBean threads;
  private final GarbageCollectorMXBean young;
  private final MemoryPoolMXBean eden;
  private final MemoryPoolMXBean old;
  private final String leastFree;
  private final String mostFree;

  @SuppressWarnings("UnusedVariable") // so that the JIT compiler keeps the allocation
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

  /**
   * Returns the memory of this process, or empty if it cannot be given back without a long pause.
   */
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
    return threads.getTotalThreadAllocatedBytes()
        - threads.getCurrentThreadAllocatedBytes()
        - BesideWork.allocatedBytes();
  }

  /**
   * {@inheritDoc}
   *
   * <p>The contents of the eden count as garbage, because the process has been idle for a while.
   * The heap never shrinks below its initial size.
   */
  @Override
  public long roomBytes() {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    long used = heap.getUsed() - eden.getUsage().getUsed();
    long kept = used * PERCENT / (PERCENT - IDLE_MOST_FREE);
    return heap.getCommitted() - Math.max(kept, heap.getInit());
  }

  /** Returns how many bytes the heap has from the system. */
  static long committedBytes() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
  }

  /**
   * {@inheritDoc}
   *
   * <p>G1 gives regions back at the end of a marking cycle, down to the limits of two JVM options.
   * The options stay lowered until {@link #takeRoom}: heartbeats make garbage, too, and the marking
   * cycle that this causes would take the memory again.
   */
  @Override
  @SuppressWarnings("CallToSystemGC") // the only way to request a marking cycle
  public void giveBack(BooleanSupplier atWork) {
    long before = committedBytes();
    boolean given = false;
    try {
      // The JVM requires the first to be at most the second at any time.
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
   * Compacts half empty regions. G1 does that in young collections after a marking cycle, a few
   * regions at a time to keep pauses short; an idle process would need many minutes to reach so
   * many collections.
   */
  private void compact(BooleanSupplier atWork) {
    long usedBefore = old.getUsage().getUsed();
    int inVain = 0;
    for (int i = 0;
        i < COMPACTING_COLLECTIONS && inVain < 2 && !atWork.getAsBoolean() && collectYoung();
        i++) {
      long used = old.getUsage().getUsed();
      // The first collection only prepares and may free nothing.
      inVain = used < usedBefore ? 0 : inVain + 1;
      usedBefore = used;
    }
  }

  /**
   * Allocates until the eden is full and a young collection has run.
   *
   * @return whether that happened within a third of the heap: G1 keeps the eden small as long as it
   *     has regions to move, so a longer run means there are none left
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

  /** Has malloc return unused memory to the system. */
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
