package io.hypersync.model.op;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeTypeTest {
  @ParameterizedTest
  @EnumSource
  void isFoundByItsCodeAndByItsBits(NodeType type) {
    assertSame(type, NodeType.ofCode(type.code()));
    assertSame(type, NodeType.ofMode(type.modeBits() | FsOp.PERMISSION_BITS));
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 8, 255, Integer.MAX_VALUE})
  void otherCodesAreNobodys(int code) {
    assertNull(NodeType.ofCode(code));
  }
}
