# Read the networks that `dagmass learn DATA -o run.txt` wrote into R's bnlearn, and compute arc strengths over all of them.
#
# Usage: Rscript custom_strength.R run.txt
# Prints CSV: from, to, strength (share of the weight with a link), direction (share of that with this direction).

library(bnlearn)

run <- read.table(commandArgs(trailingOnly = TRUE)[1], sep = "\t", quote = "", comment.char = "",
                  col.names = c("weight", "model"), stringsAsFactors = FALSE)
networks <- lapply(run$model, model2network)
strength <- custom.strength(networks, nodes = nodes(networks[[1]]), weights = run$weight)
write.csv(strength, row.names = FALSE, quote = TRUE)  # names may hold commas
