@org.jspecify.annotations.NullMarked
package io.hypersync.wire.multicast;
