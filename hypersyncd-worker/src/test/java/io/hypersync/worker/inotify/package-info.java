@org.jspecify.annotations.NullMarked
package io.hypersync.worker.inotify;
