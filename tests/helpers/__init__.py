"""What several tests share: problems, files, pages, engines and oracles."""
