package io.hypersync.coordination.cas;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A store in memory for tests, with the faults of a real one: calls that do not get there, writes
 * whose answer is lost, calls that take long. Any thread.
 */
public final class MemoryCasStore implements CasStore {
  /** What happens to a call. */
  public enum Fault {
    /** It is done and answered. */
    NONE,
    /** It does not get there. */
    NOT_DONE,
    /** It is done, and nobody is told. */
    ANSWER_LOST
  }

  /** Decides what happens to a call; it may block, so a call takes long. */
  @FunctionalInterface
  public interface Faults {
    /**
     * Called before each call, outside of the store's lock.
     *
     * @param operation "read", "create", "update"
     */
    Fault next(String operation, String key);
  }

  private final Map<String, CasRecord> records = new HashMap<>();
  private volatile Faults faults = (operation, key) -> Fault.NONE;
  private long lastRevision;

  /** From now on this decides what goes wrong. */
  public void faults(Faults newFaults) {
    faults = newFaults;
  }

  /** Removes a record, as an operator would. Its key's next revision is larger all the same. */
  public synchronized void remove(String key) {
    records.remove(key);
  }

  @Override
  public Optional<CasRecord> read(String key) throws CasException {
    return answered("read", key, () -> Optional.ofNullable(records.get(key)));
  }

  @Override
  public Optional<Long> create(String key, byte[] value) throws CasException {
    return answered(
        "create", key, () -> records.containsKey(key) ? Optional.empty() : put(key, value));
  }

  @Override
  public Optional<Long> update(String key, byte[] value, long revision) throws CasException {
    return answered(
        "update",
        key,
        () -> {
          CasRecord there = records.get(key);
          return there == null || there.revision() != revision ? Optional.empty() : put(key, value);
        });
  }

  private Optional<Long> put(String key, byte[] value) {
    lastRevision++;
    records.put(key, new CasRecord(value.clone(), lastRevision));
    return Optional.of(lastRevision);
  }

  private <T> T answered(String operation, String key, Supplier<T> call) throws CasException {
    Fault fault = faults.next(operation, key);
    if (fault == Fault.NOT_DONE) {
      throw new CasException("the store does not answer", "");
    }
    T answer;
    synchronized (this) {
      answer = call.get();
    }
    if (fault == Fault.ANSWER_LOST) {
      throw new CasException("the store does not answer", "");
    }
    return answer;
  }
}
