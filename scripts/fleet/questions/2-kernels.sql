-- SPDX-License-Identifier: MIT
-- Which functions take most on each version of the kernel?
SELECT kernel, parse_filename(object) AS program, function, sum(hits) AS samples,
       round(100 * sum(hits) / sum(sum(hits)) OVER (PARTITION BY kernel), 2) AS percent
FROM counts
GROUP BY kernel, program, function
QUALIFY row_number() OVER (PARTITION BY kernel ORDER BY samples DESC, program, function) <= 5
ORDER BY kernel, samples DESC, program, function;
