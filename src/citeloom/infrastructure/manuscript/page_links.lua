-- Links each citation with pages to the page of the work's file. Made by `citeloom links`; it goes
-- behind --citeproc, whose links it leads there, each of a bracket with several works by itself:
--   pandoc thesis.md --citeproc -M link-citations=true --lua-filter links.lua -o thesis.html
-- Before --citeproc, or without those links, only citations of one work are linked.

local links = {
-- LINKS
}

local function words(inlines)
  local text = pandoc.utils.stringify(inlines):gsub("\194\160", " "):gsub("%s+", " ")
  return (text:gsub("^[ ,]+", ""):gsub(" $", ""))
end

function Cite(cite)
  local targets = {} -- of each work, in the order of its citations here
  for _, citation in ipairs(cite.citations) do
    local its = targets["#ref-" .. citation.id] or {}
    table.insert(its, links[citation.id .. " " .. words(citation.suffix)] or false)
    targets["#ref-" .. citation.id] = its
  end
  local has_links = false
  cite.content = cite.content:walk({
    Link = function(link)
      local its = targets[link.target]
      has_links = has_links or its ~= nil
      link.target = its and table.remove(its, 1) or link.target
      return link
    end,
  })
  if has_links or #cite.citations ~= 1 then
    return cite
  end
  local target = targets["#ref-" .. cite.citations[1].id][1]
  return target and pandoc.Link({ cite }, target) or nil
end
