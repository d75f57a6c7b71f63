package io.hypersync.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaderPortTest {
  private static final int MANY = 200;

  @Test
  void isNoneThatTheKernelGivesToAnybody() throws IOException {
    String[] range =
        Files.readAllLines(Path.of("/proc/sys/net/ipv4/ip_local_port_range"))
            .getFirst()
            .split("\\s+", -1);
    for (int i = 0; i < MANY; i++) {
      try (LeaderPort port = LeaderPort.reserve()) {
        int number = port.address().port();
        assertFalse(
            number >= Integer.parseInt(range[0]) && number <= Integer.parseInt(range[1]),
            () -> number + " is one of those that the kernel gives away");
      }
    }
  }

  @ParameterizedTest(name = "where the kernel gives {0} to {1} away: {2} to {3}")
  @CsvSource({
    "32768, 60999, 10000, 65535",
    "10000, 65499, 65500, 65535",
    "10100, 65535, 10000, 10099",
    "1024,  65535, 10000, 65535",
  })
  void isFoundBesideThemIfThereIsOneBeside(int first, int last, int lowest, int highest)
      throws IOException {
    try (LeaderPort port = LeaderPort.reserve(first, last)) {
      int number = port.address().port();
      assertTrue(number >= lowest && number <= highest, () -> "it is " + number);
    }
  }

  @Test
  void isGivenOnceWhileItIsHeld() throws IOException {
    List<LeaderPort> held = new ArrayList<>();
    try {
      Set<Integer> numbers = new HashSet<>();
      for (int i = 0; i < MANY; i++) {
        held.add(LeaderPort.reserve());
        numbers.add(held.getLast().address().port());
      }
      assertEquals(MANY, numbers.size());
    } finally {
      for (LeaderPort port : held) {
        port.close();
      }
    }
  }

  @Test
  void aLeaderListensOnItAgainAndAgainWhileItIsReserved() throws IOException {
    InetSocketAddress address;
    try (LeaderPort port = LeaderPort.reserve()) {
      address = port.address().resolve();
      for (int i = 0; i < 3; i++) {
        try (DatagramSocket leader = new DatagramSocket(address)) {
          assertEquals(address.getPort(), leader.getLocalPort());
        }
      }
      try (ServerSocket other = new ServerSocket()) {
        assertThrows(BindException.class, () -> other.bind(address), "it is reserved");
      }
    }
    try (ServerSocket other = new ServerSocket()) {
      other.bind(address);
    }
  }
}
