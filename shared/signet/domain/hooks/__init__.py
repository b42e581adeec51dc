"""What harnesses call while a session runs: its first context, what each prompt brings to mind, its compaction."""
