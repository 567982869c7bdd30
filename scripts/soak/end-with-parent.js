// Ends a server whose soak was killed: loaded before it, with a channel to the process that started it.
process.channel?.unref();
process.once("disconnect", () => process.exit(1));
