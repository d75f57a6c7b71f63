package io.hypersync.model.codec;

import java.lang.reflect.RecordComponent;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;

/**
 * Prints all components of a record, arrays by content, to compare records with arrays, whose
 * {@code equals} does not.
 */
public final class RecordText {
  private RecordText() {}

  /** The text of a record, list, array, or any object with a meaningful {@code toString}. */
  public static String of(Object value) {
    return switch (value) {
      case byte[] bytes -> HexFormat.of().formatHex(bytes);
      case List<?> list -> list.stream().map(RecordText::of).toList().toString();
      case Record record -> ofRecord(record);
      default -> value.toString();
    };
  }

  private static String ofRecord(Record value) {
    StringJoiner out = new StringJoiner(", ", value.getClass().getSimpleName() + "(", ")");
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      try {
        component.getAccessor().setAccessible(true);
        out.add(component.getName() + "=" + of(component.getAccessor().invoke(value)));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
    return out.toString();
  }
}
