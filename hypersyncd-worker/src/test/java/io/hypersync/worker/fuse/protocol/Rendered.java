package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.id.InodeNo;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/**
 * Renders records as text, with byte arrays as the characters they hold, for tables of expected
 * values.
 */
final class Rendered {
  private Rendered() {}

  static String of(Object value) {
    if (value instanceof byte[] bytes) {
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
    if (!(value instanceof Record)
        || value instanceof FileHandle
        || value instanceof FuseLockOwner
        || value instanceof InodeNo) {
      return String.valueOf(value);
    }
    StringJoiner text = new StringJoiner(", ", value.getClass().getSimpleName() + "[", "]");
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      try {
        component.getAccessor().setAccessible(true);
        Object field = component.getAccessor().invoke(value);
        text.add(component.getName() + "=" + of(field));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(e.getMessage(), e);
      }
    }
    return text.toString();
  }
}
